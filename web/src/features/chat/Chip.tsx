import { useTranslation } from "react-i18next";
import { plainTitle } from "../../text/plain";
import styles from "./Turn.module.css";
import type { Mark } from "./blocks";
import type { Source } from "./model";

type Props = {
  readonly mark: Mark;
  readonly source: Source | undefined;
  readonly selected: boolean;
  readonly onOpen: (mark: Mark) => void;
};

/** The number of a source, behind what it supports. */
export function Chip({ mark, source, selected, onOpen }: Props) {
  const { t } = useTranslation();
  const title = source ? plainTitle(source.title, t("document.untitled")) : "";
  return (
    <button
      type="button"
      className={styles.chip}
      title={title}
      aria-label={t("chat.citation", { n: mark.n, title })}
      aria-pressed={selected}
      onClick={() => onOpen(mark)}
    >
      {mark.n}
    </button>
  );
}
