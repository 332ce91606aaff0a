import { useTranslation } from "react-i18next";
import styles from "./Page.module.css";

/** Before the first search: what it takes. */
export function Help() {
  const { t } = useTranslation();
  const tips = [
    ["/", t("search.help.focus")],
    ["↑ ↓", t("search.help.walk")],
    ["Enter", t("search.help.open")],
  ] as const;
  return (
    <section className={styles.help}>
      <h2 className={styles.helpTitle}>{t("search.help.title")}</h2>
      <p>{t("search.help.what")}</p>
      <dl className={styles.tips}>
        {tips.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
