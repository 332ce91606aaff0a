import Search from "lucide-react/icons/search";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { useTranslation } from "react-i18next";
import { useApi } from "../../api/ApiContext";
import { Button } from "../../ui/Button";
import { Skeleton } from "../../ui/States";
import { ConversationRow } from "./ConversationRow";
import styles from "./Conversations.module.css";
import { conversationsQuery } from "./api";
import { grouped } from "./model";

/** What this person asked before, latest first. */
export function Conversations() {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const containing = useDeferredValue(typed.trim());
  const query = useInfiniteQuery(conversationsQuery(useApi(), containing));
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <nav aria-label={t("conversations.title")} className={styles.conversations}>
      {(items.length > 0 || typed) && (
        <label className={styles.find}>
          <Search aria-hidden />
          <span className="visually-hidden">{t("conversations.find")}</span>
          <input
            type="search"
            value={typed}
            placeholder={t("conversations.find")}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
      )}
      {query.isPending && <Skeleton lines={4} />}
      {query.isError && (
        <p role="alert" className={styles.none}>
          {t("conversations.failed")}{" "}
          <Button look="quiet" size="sm" onPress={() => void query.refetch()}>
            {t("action.retry")}
          </Button>
        </p>
      )}
      {query.isSuccess && !items.length && (
        <p className={styles.none}>{typed ? t("conversations.none_found") : t("conversations.none")}</p>
      )}
      {grouped(items, new Date()).map(({ name, items: own }) => (
        <section key={name}>
          <h2 className={styles.when}>{t(`conversations.${name}`)}</h2>
          <ul className={styles.list}>
            {own.map((conversation) => (
              <ConversationRow key={conversation.conversation_id} conversation={conversation} />
            ))}
          </ul>
        </section>
      ))}
      {query.hasNextPage && (
        <Button look="quiet" size="sm" wide onPress={() => void query.fetchNextPage()}>
          {t("search.more")}
        </Button>
      )}
    </nav>
  );
}
