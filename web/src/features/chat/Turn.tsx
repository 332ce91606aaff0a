import Check from "lucide-react/icons/check";
import Copy from "lucide-react/icons/copy";
import Lightbulb from "lucide-react/icons/lightbulb";
import RotateCw from "lucide-react/icons/rotate-cw";
import { Suspense, lazy, memo, useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { plain } from "../../text/plain";
import { IconButton } from "../../ui/Button";
import { ErrorState } from "../../ui/States";
import { Abstained } from "./Abstained";
import { Chip } from "./Chip";
import { Feedback } from "./Feedback";
import { Prose } from "./Prose";
import { Sources } from "./Sources";
import { Sure } from "./Sure";
import styles from "./Turn.module.css";
import type { Mark } from "./blocks";
import { type Answer, isOver, plainText } from "./model";
import type { Turn as Asked } from "./store";

const Why = lazy(() => import("./Why").then((module) => ({ default: module.Why })));

/** What the panel beside the conversation shows: a source of one answer, at what was quoted of it. */
export type Opened = { readonly turn: string; readonly n: number; readonly mark: Mark | null };

type Props = {
  readonly turn: Asked;
  readonly opened: Opened | null;
  readonly onOpen: (opened: Opened) => void;
  /** Null where it is only shown. */
  readonly onRetry: ((key: string) => void) | null;
  /** Whether it is one's own and not shown beside somebody else's. */
  readonly own?: boolean;
};

export const Turn = memo(function Turn({ turn, opened, onOpen, onRetry, own = true }: Props) {
  const { t } = useTranslation();
  const { answer, key } = turn;
  const openMark = useCallback((mark: Mark) => onOpen({ turn: key, n: mark.n, mark }), [onOpen, key]);
  const openSource = useCallback(
    (n: number) => onOpen({ turn: key, n, mark: { n, citations: allCitations(answer, n) } }),
    [onOpen, key, answer],
  );
  const chip = useCallback(
    (mark: Mark, index: number) => (
      <Chip
        key={index}
        mark={mark}
        source={answer.sources.find((source) => source.n === mark.n)}
        selected={opened?.mark === mark}
        onOpen={openMark}
      />
    ),
    [answer.sources, opened, openMark],
  );
  return (
    <section className={styles.turn} aria-label={t("chat.turn", { question: plain(turn.question) })}>
      <div className={styles.asked}>
        <h2 className={styles.question} dir="auto">
          {plain(turn.question)}
        </h2>
      </div>
      {answer.rewritten && (
        <p className={styles.rewritten}>{t("chat.rewritten", { question: plain(answer.rewritten) })}</p>
      )}
      <div className={styles.answer} aria-busy={!isOver(answer)}>
        {answer.segments.length > 0 && <Prose segments={answer.segments} chip={chip} />}
        <Progress answer={answer} />
        {answer.done?.abstained && <Abstained turn={turn} onOpen={openSource} />}
        {answer.done && !answer.done.abstained && <Notes answer={answer} />}
        {answer.phase === "done" && <Sure answer={answer} />}
        {answer.problem && (
          <ErrorState error={answer.problem} {...(onRetry ? { onRetry: () => onRetry(key) } : {})} />
        )}
      </div>
      {isOver(answer) && !answer.done?.abstained && answer.segments.length > 0 && (
        <Sources answer={answer} selected={opened?.n ?? null} onOpen={openSource} />
      )}
      {isOver(answer) && !answer.problem && (
        <div className={styles.actions}>
          <CopyAnswer answer={answer} />
          {onRetry && (
            <IconButton label={t("chat.again")} onPress={() => onRetry(key)}>
              <RotateCw aria-hidden />
            </IconButton>
          )}
          {own && answer.answerId && <Judging answer={answer} answerId={answer.answerId} />}
        </div>
      )}
    </section>
  );
});

function allCitations(answer: Answer, n: number): Mark["citations"] {
  return answer.segments.flatMap((segment) => segment.citations.filter((citation) => citation.n === n));
}

/** Said to screen readers when it changes; the words of an answer are not read out one by one. */
function Progress({ answer }: { readonly answer: Answer }) {
  const { t } = useTranslation();
  const texts = {
    asking: t("chat.asking"),
    streaming: t("chat.writing"),
    reconnecting: t("chat.reconnecting"),
    stopped: t("chat.stopped"),
    done: "",
    failed: "",
  };
  const said =
    answer.phase === "done" ? t("chat.answered", { count: answer.segments.length }) : texts[answer.phase];
  return (
    <>
      <p role="status" className="visually-hidden">
        {said}
      </p>
      {texts[answer.phase] && (
        <p aria-hidden className={styles.progress} data-phase={answer.phase}>
          {answer.phase !== "stopped" && <span className={styles.pulse} />}
          {texts[answer.phase]}
        </p>
      )}
    </>
  );
}

function Judging({ answer, answerId }: { readonly answer: Answer; readonly answerId: string }) {
  const { t } = useTranslation();
  const [asking, setAsking] = useState(false);
  return (
    <>
      <IconButton label={t("why.title")} onPress={() => setAsking(true)}>
        <Lightbulb aria-hidden />
      </IconButton>
      <Feedback answerId={answerId} given={answer.rating} />
      <Suspense fallback={null}>
        {asking && <Why answerId={answerId} onDone={() => setAsking(false)} />}
      </Suspense>
    </>
  );
}

const KNOWN_PARTS = ["dense", "rerank", "lexical", "sparse", "memory", "llm", "generator"] as const;

function Notes({ answer }: { readonly answer: Answer }) {
  const { t } = useTranslation();
  const parts = answer.done?.degraded ?? [];
  if (!parts.length) return null;
  const names = parts.map((part) => {
    const known = KNOWN_PARTS.find((name) => name === part);
    return known ? t(`degraded.${known}`) : part;
  });
  return <p className={styles.notice}>{t("chat.degraded", { parts: names.join(", ") })}</p>;
}

const COPIED_MS = 1_600;

function CopyAnswer({ answer }: { readonly answer: Answer }) {
  const { t } = useTranslation();
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(plainText(answer));
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return (
    <IconButton label={copied ? t("action.copied") : t("action.copy")} onPress={() => void copy()}>
      {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
    </IconButton>
  );
}
