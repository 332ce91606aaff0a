import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useParams } from "react-router";
import { useApi } from "../../api/ApiContext";
import { useTitle } from "../../app/title";
import { plainTitle } from "../../text/plain";
import { Ago } from "../../ui/Ago";
import { Button } from "../../ui/Button";
import { Empty, ErrorState, Skeleton } from "../../ui/States";
import { Panel } from "../chat/Panel";
import { type Opened, Turn } from "../chat/Turn";
import styles from "./Page.module.css";
import { shareQuery } from "./api";
import { turnOf } from "./model";

/** Somebody else's conversation, as far as this reader may open what it rests on. */
export function Page() {
  const { t } = useTranslation();
  const { token = "" } = useParams();
  const query = useInfiniteQuery(shareQuery(useApi(), token));
  const [opened, setOpened] = useState<Opened | null>(null);
  const turns = useMemo(
    () => query.data?.pages.flatMap((page) => page.turns).map(turnOf) ?? [],
    [query.data],
  );
  const first = query.data?.pages[0];
  const title = first ? plainTitle(first.title, t("document.untitled")) : t("share.page");
  useTitle(title);
  const source = turns
    .find((turn) => turn.key === opened?.turn)
    ?.answer.sources.find((one) => one.n === opened?.n);
  return (
    <div className={styles.page}>
      <div className={styles.column}>
        {query.isPending && <Skeleton lines={8} />}
        {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} level={1} />}
        {first && (
          <header className={styles.head}>
            <h1 className={styles.title} dir="auto">
              {title}
            </h1>
            <p className={styles.note}>
              {t("share.shown")} <Ago time={first.shared_at} />
            </p>
          </header>
        )}
        {turns.map((turn) => (
          <Turn
            key={turn.key}
            turn={turn}
            opened={opened?.turn === turn.key ? opened : null}
            onOpen={setOpened}
            onRetry={null}
          />
        ))}
        {first && !turns.length && <Empty title={t("share.empty")} />}
        {query.hasNextPage && (
          <Button wide onPress={() => void query.fetchNextPage()}>
            {t("search.more")}
          </Button>
        )}
        {first && <Link to="/">{t("nav.new_chat")}</Link>}
      </div>
      {opened && source && <Panel opened={opened} source={source} onClose={() => setOpened(null)} />}
    </div>
  );
}
