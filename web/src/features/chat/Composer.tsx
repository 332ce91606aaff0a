import ArrowUp from "lucide-react/icons/arrow-up";
import Square from "lucide-react/icons/square";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { length } from "../../text/codePoints";
import { IconButton } from "../../ui/Button";
import styles from "./Composer.module.css";
import type { Drafts } from "./drafts";

export const QUESTION_CHARACTERS_MAX = 2_000;
const COUNT_SHOWN_FROM = 1_600;

type Props = {
  readonly place: string;
  readonly drafts: Drafts;
  readonly running: boolean;
  readonly placeholder: string;
  readonly tools?: ReactNode;
  readonly onAsk: (question: string) => void;
  readonly onStop: () => void;
};

/** Where questions are typed. What is typed is kept until it is sent. */
export function Composer({ place, drafts, running, placeholder, tools, onAsk, onStop }: Props) {
  const { t } = useTranslation();
  const [text, setText] = useState(() => drafts.read(place));
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  const characters = length(text.trim());
  const tooLong = characters > QUESTION_CHARACTERS_MAX;
  const ready = characters > 0 && !tooLong && !running;

  const change = (value: string) => {
    setText(value);
    drafts.write(place, value);
  };
  const send = () => {
    if (!ready) return;
    onAsk(text.trim());
    change("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      send();
    }
    if (event.key === "Escape" && running) onStop();
  };

  return (
    <div className={styles.composer} data-invalid={tooLong || undefined}>
      <label className="visually-hidden" htmlFor="question">
        {t("chat.question")}
      </label>
      <textarea
        id="question"
        ref={field}
        className={styles.field}
        dir="auto"
        rows={1}
        value={text}
        placeholder={placeholder}
        aria-invalid={tooLong}
        aria-describedby={tooLong ? "question-too-long" : undefined}
        onChange={(event) => change(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className={styles.row}>
        <div className={styles.tools}>{tools}</div>
        {tooLong ? (
          <p id="question-too-long" role="alert" className={styles.tooLong}>
            {t("chat.too_long", { count: characters - QUESTION_CHARACTERS_MAX })}
          </p>
        ) : (
          characters > COUNT_SHOWN_FROM && (
            <p className={styles.count}>
              {characters}/{QUESTION_CHARACTERS_MAX}
            </p>
          )
        )}
        {running ? (
          <IconButton label={t("chat.stop")} look="primary" onPress={onStop}>
            <Square aria-hidden />
          </IconButton>
        ) : (
          <IconButton label={t("chat.send")} look="primary" isDisabled={!ready} onPress={send}>
            <ArrowUp aria-hidden />
          </IconButton>
        )}
      </div>
    </div>
  );
}
