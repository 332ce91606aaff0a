import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { plain, plainTitle } from "../../text/plain";
import { Ago } from "../../ui/Ago";
import { Marked } from "../../ui/Marked";
import { SourceIcon } from "../../ui/SourceIcon";
import { authorName } from "../session/model";
import { placeAddress, placeOf } from "../documents/model";
import styles from "./Page.module.css";
import type { Result } from "./model";

type Props = {
  readonly result: Result;
  readonly selected: boolean;
  readonly onSelect: () => void;
  readonly onOpen: () => void;
};

export function ResultRow({ result, selected, onSelect, onOpen }: Props) {
  const { t } = useTranslation();
  return (
    <li
      className={styles.row}
      data-selected={selected || undefined}
      onMouseEnter={onSelect}
      onDoubleClick={onOpen}
    >
      <p className={styles.details}>
        <SourceIcon source={result.source} />
        <span>{plain(result.source.name)}</span>
        {result.author && <bdi>{authorName(result.author)}</bdi>}
        {result.updated_at && <Ago time={result.updated_at} />}
        {result.superseded_by && <span className={styles.old}>{t("document.superseded")}</span>}
      </p>
      <h2 className={styles.title}>
        <Link
          data-row
          to={placeAddress(result.document_id, placeOf([result.anchor]))}
          tabIndex={selected ? 0 : -1}
          onFocus={onSelect}
          dir="auto"
        >
          {plainTitle(result.title, t("document.untitled"))}
        </Link>
      </h2>
      <p className={styles.snippet} dir="auto">
        <Marked text={result.snippet} spans={result.highlights as [number, number][]} />
      </p>
    </li>
  );
}
