import CircleAlert from "lucide-react/icons/circle-alert";
import RotateCw from "lucide-react/icons/rotate-cw";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { asProblem } from "../api/problem";
import { Button } from "./Button";
import styles from "./States.module.css";

type EmptyProps = {
  readonly icon?: ReactNode;
  readonly title: string;
  readonly children?: ReactNode;
  readonly level?: 1 | 2;
};

export function Empty({ icon, title, children, level = 2 }: EmptyProps) {
  const Title = level === 1 ? "h1" : "h2";
  return (
    <div className={styles.empty}>
      {icon && <div className={styles.icon}>{icon}</div>}
      <Title className={styles.title}>{title}</Title>
      {children && <div className={styles.body}>{children}</div>}
    </div>
  );
}

type ErrorProps = { readonly error: unknown; readonly onRetry?: () => void; readonly level?: 1 | 2 };

/** What went wrong and what to do, with the number that an administrator finds it by. */
export function ErrorState({ error, onRetry, level = 2 }: ErrorProps) {
  const { t } = useTranslation();
  const problem = asProblem(error);
  return (
    <div role="alert">
      <Empty icon={<CircleAlert aria-hidden />} title={t(`problem.${problem.kind}.title`)} level={level}>
        <p>{t(`problem.${problem.kind}.what`)}</p>
        {problem.kind === "invalid" && problem.detail && <p>{problem.detail}</p>}
        {problem.traceId && <p className={styles.trace}>{t("problem.trace", { id: problem.traceId })}</p>}
        {onRetry && problem.kind !== "not-found" && (
          <Button onPress={onRetry}>
            <RotateCw aria-hidden />
            {t("action.retry")}
          </Button>
        )}
      </Empty>
    </div>
  );
}

/** Grey lines where text will be. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  const { t } = useTranslation();
  return (
    <div className={styles.skeleton} role="status">
      <span className="visually-hidden">{t("state.loading")}</span>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} className={styles.line} />
      ))}
    </div>
  );
}
