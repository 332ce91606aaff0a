/** An answer's sentences as Markdown, with a mark of our own where a sentence's citations go. */

import { plain } from "../../text/plain";
import type { Citation, Segment } from "./model";

// Private-use characters around a number; `plain` takes them out of whatever a document says.
const OPEN = "\ue000";
const CLOSE = "\ue001";
const MARK = new RegExp(` ?${OPEN}(\\d+)${CLOSE}`, "g");
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** One number of one sentence, and what it points at. */
export type Mark = { readonly n: number; readonly citations: readonly Citation[] };

export type Marked = { readonly text: string; readonly marks: readonly Mark[] };

export function marked(segments: readonly Segment[]): Marked {
  const marks: Mark[] = [];
  let text = "";
  for (const segment of segments) {
    text += literal(plain(withoutNumbers(segment)));
    for (const n of segment.numbers) {
      // Apart from the text: an address before it would take it in.
      text += ` ${OPEN}${marks.length}${CLOSE}`;
      marks.push({ n, citations: segment.citations.filter((citation) => citation.n === n) });
    }
  }
  return { text, marks };
}

const ADDRESS = /(https?:\/\/\S+)/;
const SIGNS = /[\\*_~&`[\]]|^ {0,3}[#>]/gm;

/** Sentences are quoted as they stand: a sign in them is a sign, though lists, tables and code keep their form. */
function literal(text: string): string {
  if (text.split("\n").some((line) => FENCE.test(line))) return text;
  return text
    .split(ADDRESS)
    .map((part, index) => (index % 2 ? part : part.replace(SIGNS, "\\$&")))
    .join("");
}

/** The gateway ends a cited sentence with its numbers, which are shown as chips. */
function withoutNumbers(segment: Segment): string {
  if (!segment.numbers.length) return segment.text;
  return segment.text.replace(/\s*(?:\[\d+\])+\s*$/, "");
}

export type Part = { readonly text: string } | { readonly mark: number };

export function parts(text: string): Part[] {
  const found: Part[] = [];
  let position = 0;
  for (const match of text.matchAll(MARK)) {
    if (match.index > position) found.push({ text: text.slice(position, match.index) });
    found.push({ mark: Number(match[1]) });
    position = match.index + match[0].length;
  }
  if (position < text.length) found.push({ text: text.slice(position) });
  return found;
}

/**
 * Cuts Markdown at blank lines outside of code, so that a growing answer re-reads its last block alone. A list stays
 * whole: cut in two, it would start to count anew.
 */
export function blocks(text: string): string[] {
  const found: string[] = [];
  let current: string[] = [];
  let fence = "";
  for (const line of text.split("\n")) {
    const opened = FENCE.exec(line)?.[1] ?? "";
    if (!fence && opened) fence = opened;
    else if (fence && opened.startsWith(fence) && line.trim() === opened) fence = "";
    if (!fence && !line.trim() && current.length) {
      found.push(current.join("\n"));
      current = [];
    } else if (line.trim() || current.length) current.push(line);
  }
  if (current.length) found.push(current.join("\n"));
  return found.reduce<string[]>(rejoined, []);
}

const LISTED = /^(\s*([-*+]|\d+[.)])\s|\s{2,}\S)/;

function rejoined(before: string[], block: string): string[] {
  const last = before[before.length - 1];
  if (last === undefined || !LISTED.test(last) || !LISTED.test(block)) return [...before, block];
  return [...before.slice(0, -1), `${last}\n\n${block}`];
}
