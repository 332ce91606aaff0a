import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Api } from "../../api/client";
import { asProblem } from "../../api/problem";
import { Button } from "../../ui/Button";
import { ErrorState, Skeleton } from "../../ui/States";
import { ChoosePerson } from "./ChoosePerson";
import styles from "./Session.module.css";
import { signInAs, signInWithToken, waysQuery } from "./api";

type Props = { readonly api: Api; readonly returnTo: string; readonly onSignedIn: () => Promise<void> };

/** Every way in that this gateway has, for this browser. */
export function SignIn({ api, returnTo, onSignedIn }: Props) {
  const { t } = useTranslation();
  const ways = useQuery(waysQuery(api));
  const choose = useMutation({ mutationFn: (email: string) => signInAs(api, email), onSuccess: onSignedIn });
  if (ways.isPending) return <Skeleton lines={4} />;
  if (ways.isError) return <ErrorState error={ways.error} onRetry={() => void ways.refetch()} />;
  return (
    <div className={styles.ways}>
      {ways.data.provider && (
        <a className={styles.provider} href={`/auth/sign-in?${new URLSearchParams({ return_to: returnTo })}`}>
          {t("sign_in.provider")}
        </a>
      )}
      {ways.data.choose && (
        <>
          <p className={styles.lead}>{t("sign_in.choose")}</p>
          <ChoosePerson
            api={api}
            disabled={choose.isPending}
            onChoose={({ email }) => choose.mutate(email)}
          />
          {choose.isError && (
            <p role="alert" className={styles.error}>
              {t(`problem.${asProblem(choose.error).kind}.what`)}
            </p>
          )}
        </>
      )}
      {ways.data.token && !ways.data.choose && <Token onSignedIn={onSignedIn} />}
    </div>
  );
}

function Token({ onSignedIn }: { readonly onSignedIn: () => Promise<void> }) {
  const { t } = useTranslation();
  const [token, setToken] = useState("");
  const enter = useMutation({ mutationFn: signInWithToken, onSuccess: onSignedIn });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (token.trim()) enter.mutate(token.trim());
  };
  return (
    <form onSubmit={submit} className={styles.token}>
      <label htmlFor="token">{t("sign_in.token")}</label>
      <input
        id="token"
        value={token}
        onChange={(event) => setToken(event.target.value)}
        autoComplete="off"
        spellCheck={false}
      />
      <p className={styles.hint}>{t("sign_in.token_help")}</p>
      {enter.isError && (
        <p role="alert" className={styles.error}>
          {t("sign_in.token_wrong")}
        </p>
      )}
      <Button type="submit" look="primary" isDisabled={!token.trim() || enter.isPending}>
        {t("sign_in.enter")}
      </Button>
    </form>
  );
}
