import ChevronDown from "lucide-react/icons/chevron-down";
import { useTranslation } from "react-i18next";
import styles from "./Turn.module.css";
import { type Answer, sureness } from "./model";

/** How sure an answer is, in words, and what that number is and is not. */
export function Sure({ answer }: { readonly answer: Answer }) {
  const { t, i18n } = useTranslation();
  const confidence = answer.done?.confidence ?? null;
  if (confidence === null || answer.done?.abstained || !answer.segments.length) return null;
  const sure = sureness(confidence);
  const percent = new Intl.NumberFormat(i18n.language, { style: "percent" }).format(confidence);
  return (
    <details className={styles.sure} data-sure={sure}>
      <summary>
        <span aria-hidden className={styles.sureDot} />
        {t(`sure.${sure}`)}
        <ChevronDown aria-hidden />
      </summary>
      <p>{t("sure.what", { percent })}</p>
    </details>
  );
}
