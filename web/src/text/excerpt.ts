import type { Span } from "./codePoints";

export const CHARACTERS_SHOWN = 20_000;

/** A part of a text that is too long to show at once: the one with the marks, else the first. */
export function excerpt(text: string, spans: readonly Span[], max: number): { text: string; from: number } {
  if (text.length <= max) return { text, from: 0 };
  const start = spans[0]?.[0] ?? 0;
  const from = Math.max(0, Math.min(start - Math.floor(max / 4), text.length - max));
  return { text: text.slice(from, from + max), from };
}
