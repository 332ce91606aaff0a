import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { ApiContext, useApi } from "../../api/ApiContext";
import { createApi } from "../../api/client";
import { Avatar } from "../../ui/Avatar";
import { ErrorState } from "../../ui/States";
import { Panel } from "../chat/Panel";
import { type Opened, Turn } from "../chat/Turn";
import { NO_FILTERS } from "../chat/filters";
import { ChatStore } from "../chat/store";
import { tokenFor } from "../session/api";
import type { LocalPerson } from "../session/model";
import styles from "./Page.module.css";

const PLACE = "compare";

type Asked = { readonly question: string; readonly round: number };
type Props = {
  readonly person: LocalPerson;
  readonly people: readonly LocalPerson[];
  readonly asked: Asked | null;
  readonly onPerson: (email: string) => void;
};

/** One person's side: everything in it is fetched with that person's own token. */
export function Column({ person, people, asked, onPerson }: Props) {
  const { t } = useTranslation();
  const api = useApi();
  const token = useQuery({
    queryKey: ["local-token", person.email],
    queryFn: () => tokenFor(api, person.email),
    staleTime: 3_600_000,
  });
  return (
    <section className={styles.column} aria-label={person.name}>
      <div className={styles.who}>
        <Avatar name={person.name} email={person.email} large />
        <label className={styles.choose}>
          <span className="visually-hidden">{t("compare.person")}</span>
          <select value={person.email} onChange={(event) => onPerson(event.target.value)}>
            {people.map(({ email, name }) => (
              <option key={email} value={email}>
                {name}
              </option>
            ))}
          </select>
          <span className={styles.email}>{person.email}</span>
        </label>
      </div>
      {token.isError && <ErrorState error={token.error} onRetry={() => void token.refetch()} />}
      {token.data && asked && <Answered token={token.data} asked={asked} />}
      {!asked && <p className={styles.waiting}>{t("compare.waiting")}</p>}
    </section>
  );
}

function Answered({ token, asked }: { readonly token: string; readonly asked: Asked }) {
  const api = useMemo(() => createApi({ token }), [token]);
  const store = useMemo(() => new ChatStore(api), [api]);
  const [opened, setOpened] = useState<Opened | null>(null);
  const conversation = useSyncExternalStore(store.subscribe, () => store.get(PLACE));
  useEffect(() => {
    store.begin(PLACE, asked.question, NO_FILTERS);
  }, [store, asked]);
  const turn = conversation.turns[conversation.turns.length - 1];
  const source = turn?.answer.sources.find((one) => one.n === opened?.n);
  if (!turn) return null;
  return (
    <ApiContext value={api}>
      <Turn turn={turn} opened={opened} onOpen={setOpened} onRetry={null} own={false} />
      {opened && source && <Panel opened={opened} source={source} onClose={() => setOpened(null)} floating />}
    </ApiContext>
  );
}
