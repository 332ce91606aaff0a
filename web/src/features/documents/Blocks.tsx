import type { ReactNode } from "react";
import type { Span } from "../../text/codePoints";
import { LongText } from "../../ui/LongText";
import styles from "./Blocks.module.css";
import { type Block, type Place, grouped } from "./model";

type Props = { readonly blocks: readonly Block[]; readonly place: Place | null };

/** A document's blocks as plain elements, each in its own direction. Nothing of a text is ever read as markup. */
export function Blocks({ blocks, place }: Props) {
  return (
    <div className={styles.blocks}>
      {grouped(blocks).map((group) => {
        const first = group.blocks[0];
        if (!first) return null;
        const shown = group.blocks.map((block) => (
          <One key={block.block_id} block={block} spans={spansOf(block, place)} />
        ));
        if (!group.list) return shown;
        return (
          <ul key={first.block_id} dir="auto">
            {shown}
          </ul>
        );
      })}
    </div>
  );
}

const NONE: readonly Span[] = [];

function spansOf(block: Block, place: Place | null): readonly Span[] {
  return place?.blockId === block.block_id ? place.spans : NONE;
}

function One({ block, spans }: { readonly block: Block; readonly spans: readonly Span[] }) {
  const anchored = spans.length ? { "data-anchored": true } : {};
  const text = <LongText text={block.text} spans={spans} />;
  switch (block.kind) {
    case "heading":
      return <Title level={block.level ?? 2} {...anchored} text={text} />;
    case "list_item":
      return <li {...anchored}>{text}</li>;
    case "code":
      return (
        <pre {...anchored} tabIndex={0} dir="ltr">
          {text}
        </pre>
      );
    case "quote":
      return (
        <blockquote {...anchored} dir="auto">
          {text}
        </blockquote>
      );
    case "table":
      return <Rows {...anchored} text={block.text} spans={spans} />;
    case "message":
      return (
        <div {...anchored} dir="auto" className={styles.message}>
          {text}
        </div>
      );
    default:
      return (
        <p {...anchored} dir="auto">
          {text}
        </p>
      );
  }
}

function Title({
  level,
  text,
  ...anchored
}: {
  readonly level: number;
  readonly text: ReactNode;
  readonly "data-anchored"?: boolean;
}) {
  const Name = level <= 1 ? "h2" : level === 2 ? "h3" : "h4";
  return (
    <Name {...anchored} dir="auto">
      {text}
    </Name>
  );
}

/** A row is a line of `column: value` pairs. Marks may cross lines, so the text stays whole. */
function Rows({
  text,
  spans,
  ...anchored
}: {
  readonly text: string;
  readonly spans: readonly Span[];
  readonly "data-anchored"?: boolean;
}) {
  return (
    <div {...anchored} dir="auto" className={styles.rows}>
      <LongText text={text} spans={spans} />
    </div>
  );
}
