import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router";
import { useTitle } from "../../app/title";
import { plainTitle } from "../../text/plain";
import { useChat } from "./ChatProvider";
import { Composer } from "./Composer";
import { FilterMenu } from "./FilterMenu";
import { Older } from "./Older";
import styles from "./Page.module.css";
import { Panel } from "./Panel";
import { type Opened, Turn } from "./Turn";
import { Welcome } from "./Welcome";
import { NEW } from "./drafts";
import { isOver } from "./model";
import { type Filters, NO_FILTERS } from "./filters";
import type { Conversation } from "./store";
import { useFollowing } from "./useFollowing";
import { useStored } from "./useStored";

export function Page() {
  const { t } = useTranslation();
  const { store, drafts, place: newPlace, renew } = useChat();
  const { conversation: id } = useParams();
  const navigate = useNavigate();
  const place = id ?? newPlace;
  const conversation = useSyncExternalStore(store.subscribe, () => store.get(place));
  const [filters, setFilters] = useState<Filters>(NO_FILTERS);
  const [opened, setOpened] = useState<Opened | null>(null);
  const stored = useStored(id);
  const first = conversation.turns[0];
  const last = conversation.turns[conversation.turns.length - 1];
  const running = last && !isOver(last.answer) ? last : null;
  const end = useFollowing(last?.key ?? "", `${last?.answer.phase} ${last?.answer.segments.length}`);
  useTitle(first ? plainTitle(first.question, "").slice(0, 60) : "");
  useEffect(() => {
    if (id === undefined && conversation.id !== null) {
      void navigate(`/chat/${conversation.id}`, { replace: true });
    }
  }, [id, conversation.id, navigate]);
  // Once one is there, and not before: a new conversation would be seen on the way.
  useEffect(() => {
    if (id !== undefined && store.get(newPlace).id === id) renew();
  }, [id, store, newPlace, renew]);

  const ask = useCallback(
    (question: string) => void store.ask(place, question, filters),
    [store, place, filters],
  );
  const retry = useCallback((key: string) => void store.retry(place, key), [store, place]);
  const stop = () => running && void store.stop(place, running.key);
  const source = sourceOf(conversation, opened);
  const composer = (
    <Composer
      key={store.nameOf(place)}
      place={id ?? conversation.id ?? NEW}
      drafts={drafts}
      running={running !== null}
      placeholder={t(first ? "chat.follow_up" : "chat.placeholder")}
      tools={<FilterMenu filters={filters} onChange={setFilters} />}
      onAsk={ask}
      onStop={stop}
    />
  );
  if (id !== undefined && !first && stored !== null) return <div className={styles.column}>{stored}</div>;
  return (
    <div className={styles.page}>
      {first ? (
        <div className={styles.column}>
          <h1 className="visually-hidden">{t("chat.title")}</h1>
          <div className={styles.turns}>
            {conversation.id !== null && conversation.older !== null && (
              <Older conversation={conversation.id} cursor={conversation.older} />
            )}
            {conversation.turns.map((turn) => (
              <Turn
                key={turn.key}
                turn={turn}
                opened={opened?.turn === turn.key ? opened : null}
                onOpen={setOpened}
                onRetry={retry}
              />
            ))}
            <div ref={end} />
          </div>
          <div className={styles.dock}>
            {composer}
            <p className={styles.promise}>{t("chat.promise")}</p>
          </div>
        </div>
      ) : (
        <Welcome composer={composer} onAsk={ask} />
      )}
      {opened && source && <Panel opened={opened} source={source} onClose={() => setOpened(null)} />}
    </div>
  );
}

function sourceOf(conversation: Conversation, opened: Opened | null) {
  const turn = conversation.turns.find((one) => one.key === opened?.turn);
  return turn?.answer.sources.find((source) => source.n === opened?.n);
}
