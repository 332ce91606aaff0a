import Check from "lucide-react/icons/check";
import Copy from "lucide-react/icons/copy";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useApi } from "../../api/ApiContext";
import { asProblem } from "../../api/problem";
import { Button } from "../../ui/Button";
import { Modal } from "../../ui/Modal";
import styles from "./Conversations.module.css";
import { share, withdraw } from "./api";
import type { Conversation } from "./model";

type Props = { readonly conversation: Conversation; readonly onDone: () => void };

/** A link shows each of its readers what they may open themselves. */
export function ShareDialog({ conversation, onDone }: Props) {
  const { t } = useTranslation();
  const api = useApi();
  const queries = useQueryClient();
  const [url, setUrl] = useState(conversation.share?.url ?? null);
  const [copied, setCopied] = useState(false);
  const id = conversation.conversation_id;
  const known = () => queries.invalidateQueries({ queryKey: ["conversations"] });
  const sharing = useMutation({
    mutationFn: () => share(api, id),
    onSuccess: async (shared) => {
      setUrl(shared.url);
      await known();
    },
  });
  const withdrawing = useMutation({
    mutationFn: () => withdraw(api, id),
    onSuccess: async () => {
      setUrl(null);
      await known();
    },
  });
  const problem = sharing.error ?? withdrawing.error;
  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <Modal title={t("share.title")} open onOpenChange={onDone}>
      <p className={styles.lead}>{t("share.what")}</p>
      {url === null ? (
        <Button look="primary" isDisabled={sharing.isPending} onPress={() => sharing.mutate()}>
          {t("share.make")}
        </Button>
      ) : (
        <>
          <label className={styles.url}>
            <span>{t("share.link")}</span>
            <input readOnly value={url} onFocus={(event) => event.target.select()} />
          </label>
          <div className={styles.buttons}>
            <Button look="primary" onPress={() => void copy(url)}>
              {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
              {copied ? t("action.copied") : t("action.copy")}
            </Button>
            <Button isDisabled={withdrawing.isPending} onPress={() => withdrawing.mutate()}>
              {t("share.withdraw")}
            </Button>
          </div>
        </>
      )}
      {problem && (
        <p role="alert" className={styles.error}>
          {t(`problem.${asProblem(problem).kind}.what`)}
        </p>
      )}
    </Modal>
  );
}
