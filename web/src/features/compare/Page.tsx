import Users from "lucide-react/icons/users";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { useApi } from "../../api/ApiContext";
import { useTitle } from "../../app/title";
import { Empty, ErrorState, Skeleton } from "../../ui/States";
import { useChat } from "../chat/ChatProvider";
import { Composer } from "../chat/Composer";
import { peopleQuery } from "../session/api";
import { useSession } from "../session/SessionProvider";
import { Column } from "./Column";
import styles from "./Page.module.css";
import { pairOf, withPerson } from "./model";

/** The same question as two people, beside each other. For evaluation on one's own machine. */
export function Page() {
  const { t } = useTranslation();
  useTitle(t("compare.title"));
  const people = useQuery(peopleQuery(useApi()));
  const { session } = useSession();
  const { drafts } = useChat();
  const [parameters, setParameters] = useSearchParams();
  const [asked, setAsked] = useState<{ readonly question: string; readonly round: number } | null>(null);
  if (people.isPending) return <Skeleton lines={6} />;
  if (people.isError)
    return <ErrorState error={people.error} onRetry={() => void people.refetch()} level={1} />;
  const pair = pairOf(parameters, people.data, session.email);
  if (pair === null) return <Empty title={t("sign_in.nobody.title")}>{t("sign_in.nobody.what")}</Empty>;
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <h1 className={styles.title}>
          <Users aria-hidden />
          {t("compare.title")}
        </h1>
        <p className={styles.what}>{t("compare.what")}</p>
        <Composer
          place="compare"
          drafts={drafts}
          running={false}
          placeholder={t("compare.placeholder")}
          onAsk={(question) => setAsked({ question, round: (asked?.round ?? 0) + 1 })}
          onStop={() => undefined}
        />
      </header>
      <div className={styles.columns}>
        {pair.map((person, index) => (
          <Column
            key={`${index} ${person.email}`}
            person={person}
            people={people.data}
            asked={asked}
            onPerson={(email) => setParameters(withPerson(parameters, pair, index, email), { replace: true })}
          />
        ))}
      </div>
    </div>
  );
}
