import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate, useSearchParams } from "react-router";
import { createApi } from "../../api/client";
import { useTitle } from "../../app/title";
import { Logo } from "../../ui/Logo";
import styles from "./Session.module.css";
import { announce } from "./SessionProvider";
import { SignIn } from "./SignIn";
import { returnPath } from "./model";

export function Page() {
  const { t } = useTranslation();
  useTitle(t("sign_in.title"));
  const api = useMemo(() => createApi(), []);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [parameters] = useSearchParams();
  const returnTo = returnPath(parameters.get("return_to"));
  const onSignedIn = async () => {
    await queries.resetQueries({ queryKey: ["session"] });
    announce();
    await navigate(returnTo, { replace: true });
  };
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <Logo />
        <h1 className={styles.title}>{t("sign_in.title")}</h1>
        <SignIn api={api} returnTo={returnTo} onSignedIn={onSignedIn} />
      </div>
      <p className={styles.promise}>{t("sign_in.promise")}</p>
    </main>
  );
}
