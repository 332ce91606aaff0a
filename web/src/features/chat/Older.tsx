import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useApi } from "../../api/ApiContext";
import { asProblem } from "../../api/problem";
import { Button } from "../../ui/Button";
import { olderTurns } from "../conversations/api";
import { useChat } from "./ChatProvider";
import styles from "./Page.module.css";
import { turnsOf } from "./useStored";

type Props = { readonly conversation: string; readonly cursor: string };

/** A long conversation begins with its latest turns; what came before is fetched when asked for. */
export function Older({ conversation, cursor }: Props) {
  const { t } = useTranslation();
  const api = useApi();
  const { store } = useChat();
  const fetching = useMutation({
    mutationFn: () => olderTurns(api, conversation, cursor),
    onSuccess: (found) => store.loadOlder(conversation, cursor, turnsOf(found), found.next_cursor),
  });
  return (
    <div className={styles.older}>
      <Button size="sm" isDisabled={fetching.isPending} onPress={() => fetching.mutate()}>
        {t(fetching.isPending ? "state.loading" : "chat.older")}
      </Button>
      {fetching.isError && <p role="alert">{t(`problem.${asProblem(fetching.error).kind}.what`)}</p>}
    </div>
  );
}
