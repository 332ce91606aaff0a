import { useTranslation } from "react-i18next";
import { plain, plainTitle } from "../../text/plain";
import { Ago } from "../../ui/Ago";
import { SourceIcon } from "../../ui/SourceIcon";
import styles from "./Turn.module.css";
import type { Answer, Source } from "./model";

type Props = {
  readonly answer: Answer;
  readonly selected: number | null;
  readonly onOpen: (n: number) => void;
};

/** Those that the answer cites, in the order of their numbers. */
export function Sources({ answer, selected, onOpen }: Props) {
  const { t } = useTranslation();
  const cited = new Set(answer.segments.flatMap((segment) => segment.numbers));
  const shown = answer.sources.filter((source) => cited.has(source.n));
  if (!shown.length) return null;
  return (
    <div className={styles.sources}>
      <h3 className={styles.sourcesTitle}>{t("chat.sources", { count: shown.length })}</h3>
      <Cards sources={shown} selected={selected} onOpen={onOpen} />
    </div>
  );
}

type CardsProps = {
  readonly sources: readonly Source[];
  readonly selected: number | null;
  readonly onOpen: (n: number) => void;
};

export function Cards({ sources, selected, onOpen }: CardsProps) {
  const { t } = useTranslation();
  return (
    <ul className={styles.cards}>
      {sources.map((source) => (
        <li key={source.n}>
          <button
            type="button"
            className={styles.card}
            aria-pressed={selected === source.n}
            onClick={() => onOpen(source.n)}
          >
            <span className={styles.cardTitle} dir="auto">
              {plainTitle(source.title, t("document.untitled"))}
            </span>
            <span className={styles.cardDetails}>
              <span className={styles.number}>{source.n}</span>
              <SourceIcon source={source.source} />
              <span>{plain(source.source.name)}</span>
              {source.updated_at && <Ago time={source.updated_at} />}
              {source.superseded_by && <span className={styles.old}>{t("document.superseded")}</span>}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
