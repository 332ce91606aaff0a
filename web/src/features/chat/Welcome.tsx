import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "../session/SessionProvider";
import { nameOf } from "../session/model";
import styles from "./Page.module.css";

type Props = { readonly composer: ReactNode; readonly onAsk: (question: string) => void };

export function Welcome({ composer, onAsk }: Props) {
  const { t } = useTranslation();
  const { session } = useSession();
  const starters = [t("chat.starter_1"), t("chat.starter_2"), t("chat.starter_3"), t("chat.starter_4")];
  return (
    <div className={styles.welcome}>
      <h1 className={styles.hello}>{t("chat.hello", { name: nameOf(session.email).split(" ")[0] ?? "" })}</h1>
      {composer}
      <ul className={styles.starters} aria-label={t("chat.starters")}>
        {starters.map((question) => (
          <li key={question}>
            <button type="button" className={styles.starter} onClick={() => onAsk(question)}>
              {question}
            </button>
          </li>
        ))}
      </ul>
      <p className={styles.how}>{t("chat.promise")}</p>
    </div>
  );
}
