import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useApi } from "../../api/ApiContext";
import { asProblem } from "../../api/problem";
import { plainTitle } from "../../text/plain";
import { Button } from "../../ui/Button";
import { Modal } from "../../ui/Modal";
import styles from "./Conversations.module.css";
import { remove } from "./api";
import type { Conversation } from "./model";

type Props = {
  readonly conversation: Conversation;
  readonly onDone: () => void;
  readonly onDeleted: () => void;
};

export function DeleteDialog({ conversation, onDone, onDeleted }: Props) {
  const { t } = useTranslation();
  const api = useApi();
  const queries = useQueryClient();
  const deleting = useMutation({
    mutationFn: () => remove(api, conversation.conversation_id),
    onSuccess: async () => {
      onDone();
      onDeleted();
      await queries.invalidateQueries({ queryKey: ["conversations"] });
    },
  });
  return (
    <Modal title={t("conversations.delete_title")} open onOpenChange={onDone}>
      <p className={styles.lead} dir="auto">
        {plainTitle(conversation.title, t("document.untitled"))}
      </p>
      <p className={styles.lead}>{t("conversations.delete_what")}</p>
      <div className={styles.buttons}>
        <Button look="danger" isDisabled={deleting.isPending} onPress={() => deleting.mutate()}>
          {t("conversations.delete_for_good")}
        </Button>
        <Button onPress={onDone}>{t("action.cancel")}</Button>
      </div>
      {deleting.isError && (
        <p role="alert" className={styles.error}>
          {t(`problem.${asProblem(deleting.error).kind}.what`)}
        </p>
      )}
    </Modal>
  );
}
