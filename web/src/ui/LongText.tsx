import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Span } from "../text/codePoints";
import { CHARACTERS_SHOWN, excerpt } from "../text/excerpt";
import { plain } from "../text/plain";
import { Button } from "./Button";
import styles from "./LongText.module.css";
import { Marked } from "./Marked";

const NONE: readonly Span[] = [];

/** A very long text shows the part that matters, and all of it when asked. */
export function LongText({
  text,
  spans = NONE,
}: {
  readonly text: string;
  readonly spans?: readonly Span[];
}) {
  const { t } = useTranslation();
  const [whole, setWhole] = useState(false);
  if (whole || text.length <= CHARACTERS_SHOWN) {
    return spans.length ? <Marked text={text} spans={spans} /> : plain(text);
  }
  const part = excerpt(text, spans, CHARACTERS_SHOWN);
  return (
    <>
      {part.from > 0 && "… "}
      <Marked
        text={part.text}
        spans={spans.map(([start, end]) => [start - part.from, end - part.from] as const)}
      />
      {" …"}
      <span className={styles.more}>
        <Button size="sm" onPress={() => setWhole(true)}>
          {t("document.show_all", { characters: text.length })}
        </Button>
      </span>
    </>
  );
}
