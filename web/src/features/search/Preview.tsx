import { useId, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Passage } from "../documents/Passage";
import { placeOf } from "../documents/model";
import styles from "./Page.module.css";
import type { Result } from "./model";

/** The chosen result at its passage, where the screen is wide enough for both. */
export function Preview({ result }: { readonly result: Result }) {
  const { t } = useTranslation();
  const heading = useId();
  const place = useMemo(() => placeOf([result.anchor]), [result.anchor]);
  return (
    <aside className={styles.preview} aria-label={t("search.preview")} tabIndex={0}>
      <Passage
        documentId={result.document_id}
        place={place}
        supersededBy={result.superseded_by ?? null}
        headingId={heading}
      />
    </aside>
  );
}
