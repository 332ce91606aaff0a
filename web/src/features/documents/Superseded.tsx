import History from "lucide-react/icons/history";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { Schemas } from "../../api/client";
import { plainTitle } from "../../text/plain";
import styles from "./Passage.module.css";
import { placeAddress } from "./model";

export type SupersededBy = Schemas["SupersededBy"];

/** The gateway names a newer document to those alone who may open it. */
export function Superseded({ by }: { readonly by: SupersededBy }) {
  const { t } = useTranslation();
  return (
    <p className={styles.superseded}>
      <History aria-hidden />
      <span>
        {t("document.superseded_by")}{" "}
        <Link to={placeAddress(by.document_id, null)} dir="auto">
          {plainTitle(by.title, t("document.untitled"))}
        </Link>
      </span>
    </p>
  );
}
