import { useTranslation } from "react-i18next";
import styles from "./Page.module.css";

/** Before the first search: what it takes. */
export function Help() {
  const { t } = useTranslation();
  const operators = [
    ['"cold chain"', t("search.help.phrase")],
    ["from:priya", t("search.help.from")],
    ["in:wiki", t("search.help.in")],
    ["after:2026-01 before:2026-07", t("search.help.dates")],
    ["type:pdf", t("search.help.type")],
    ["-draft", t("search.help.without")],
  ] as const;
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
        {operators.map(([example, text]) => (
          <div key={example}>
            <dt>
              <code>{example}</code>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
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
