import type { Root, RootContent } from "hast";
import { type ReactNode, createContext, memo, useContext, useMemo } from "react";
import Markdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { CHARACTERS_SHOWN } from "../../text/excerpt";
import { CodeBlock } from "../../ui/CodeBlock";
import { LongText } from "../../ui/LongText";
import { type Mark, blocks, marked, parts } from "./blocks";
import styles from "./Prose.module.css";
import type { Segment } from "./model";

const PLUGINS = [remarkGfm];
const REHYPE = [() => chips];
const ALLOWED = /^(https?:|mailto:)/i;

type Props = {
  readonly segments: readonly Segment[];
  readonly chip: (mark: Mark, index: number) => ReactNode;
};

/** Markdown of an answer. Markup in it is text, addresses are of the web, pictures are links to them. */
export function Prose({ segments, chip }: Props) {
  const { text, marks } = useMemo(() => marked(segments), [segments]);
  const cited = useMemo(() => ({ marks, chip }), [marks, chip]);
  return (
    <Cited value={cited}>
      <div className={styles.prose}>
        {blocks(text).map((block, index) => (
          <Block key={index} text={block} />
        ))}
      </div>
    </Cited>
  );
}

/** A citation may come after its sentence's text; only what shows it is drawn anew then, and keeps the focus. */
const Cited = createContext<{ readonly marks: readonly Mark[]; readonly chip: Props["chip"] }>({
  marks: [],
  chip: () => null,
});

function Cite({ index, children }: { readonly index: number; readonly children?: ReactNode }) {
  const { marks, chip } = useContext(Cited);
  const mark = marks[index];
  return mark ? chip(mark, index) : <span>{children}</span>;
}

// Made once: a component that is another one at each drawing would be taken out and put in again.
const COMPONENTS: Components = {
  a: ({ href, children }) =>
    href ? (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    ) : (
      <span>{children}</span>
    ),
  img: ({ src, alt }) =>
    typeof src === "string" && src ? (
      <a href={src} target="_blank" rel="noopener noreferrer nofollow">
        {alt || src}
      </a>
    ) : null,
  pre: ({ children }) => <CodeBlock>{children}</CodeBlock>,
  table: ({ children }) => (
    <div className={styles.table} tabIndex={0} role="group">
      <table>{children}</table>
    </div>
  ),
  span: ({ node, children }) => (
    <Cite index={Number(node?.properties["dataMark"] ?? Number.NaN)}>{children}</Cite>
  ),
};

const Block = memo(function Block({ text }: { readonly text: string }) {
  if (text.length > CHARACTERS_SHOWN) {
    const own = parts(text);
    return (
      <>
        <CodeBlock>
          <LongText text={own.map((part) => ("text" in part ? part.text : "")).join("")} />
        </CodeBlock>
        <p>{own.map((part) => "mark" in part && <Cite key={part.mark} index={part.mark} />)}</p>
      </>
    );
  }
  return (
    <Markdown
      remarkPlugins={PLUGINS}
      rehypePlugins={REHYPE}
      components={COMPONENTS}
      urlTransform={(url) => (ALLOWED.test(url) ? url : "")}
    >
      {text}
    </Markdown>
  );
});

/** A rehype plugin: marks in texts become elements of their own. Inside of code they come after it. */
function chips(tree: Root): void {
  tree.children = tree.children.flatMap(replaced).map(directed) as Root["children"];
}

/** Each block in the direction of its own first letter, whatever language the one before is in. */
function directed(node: RootContent): RootContent {
  if (node.type !== "element") return node;
  return { ...node, properties: { ...node.properties, dir: node.tagName === "pre" ? "ltr" : "auto" } };
}

function replaced(node: RootContent): RootContent[] {
  if (node.type === "text") return parts(node.value).map(nodeOf);
  if (node.type !== "element") return [node];
  if (node.tagName !== "code" && node.tagName !== "pre") {
    return [{ ...node, children: node.children.flatMap(replaced) as typeof node.children }];
  }
  const found: RootContent[] = [];
  const bare = withoutMarks(node, found);
  return [bare, ...found];
}

function withoutMarks<T extends RootContent>(node: T, found: RootContent[]): T {
  if (node.type === "text") {
    const own = parts(node.value);
    found.push(...own.filter((part) => "mark" in part).map(nodeOf));
    return { ...node, value: own.map((part) => ("text" in part ? part.text : "")).join("") };
  }
  if (node.type !== "element") return node;
  return { ...node, children: node.children.map((child) => withoutMarks(child, found)) };
}

function nodeOf(part: ReturnType<typeof parts>[number]): RootContent {
  if ("text" in part) return { type: "text", value: part.text };
  return { type: "element", tagName: "span", properties: { dataMark: part.mark }, children: [] };
}
