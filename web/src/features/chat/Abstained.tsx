import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Cards } from "./Sources";
import styles from "./Turn.module.css";
import type { Turn } from "./store";

const NEAREST_SHOWN = 4;

type Props = { readonly turn: Turn; readonly onOpen: (n: number) => void };

/** No answer is help too: what was looked at, what comes nearest, and what to try. */
export function Abstained({ turn, onOpen }: Props) {
  const { t } = useTranslation();
  const { sources, done } = turn.answer;
  const named = sources.filter((source) => done?.nearest.includes(source.n));
  const nearest = (named.length ? named : sources).slice(0, NEAREST_SHOWN);
  return (
    <div className={styles.abstained}>
      <h3 className={styles.abstainedTitle}>{t("abstained.title")}</h3>
      <p>{t("abstained.what")}</p>
      {nearest.length > 0 && (
        <div className={styles.sources}>
          <h4 className={styles.sourcesTitle}>{t("abstained.nearest")}</h4>
          <Cards sources={nearest} selected={null} onOpen={onOpen} />
        </div>
      )}
      <div>
        <h4 className={styles.sourcesTitle}>{t("abstained.try")}</h4>
        <ul className={styles.tips}>
          <li>{t("abstained.tip_words")}</li>
          <li>{t("abstained.tip_access")}</li>
          <li>
            <Link to={`/search?${new URLSearchParams({ q: turn.question })}`}>
              {t("abstained.tip_search")}
            </Link>
          </li>
        </ul>
      </div>
    </div>
  );
}
