/** Offsets of the API count code points; strings here count UTF-16 units. */

export type Span = readonly [start: number, end: number];
export type Piece = { readonly text: string; readonly marked: boolean };

const SURROGATE = /[\ud800-\udfff]/;

function units(text: string, codePoints: number): number {
  let position = 0;
  for (let seen = 0; seen < codePoints && position < text.length; seen += 1) {
    position += (text.codePointAt(position) ?? 0) > 0xffff ? 2 : 1;
  }
  return position;
}

export function slice(text: string, start: number, end: number): string {
  if (!SURROGATE.test(text)) return text.slice(Math.max(0, start), Math.max(0, end));
  const from = units(text, start);
  return text.slice(from, from + units(text.slice(from), end - start));
}

export function length(text: string): number {
  if (!SURROGATE.test(text)) return text.length;
  let count = 0;
  for (const character of text) count += character ? 1 : 0;
  return count;
}

/** The text in order, cut where marks begin and end. Marks that overlap or lie outside are cut to fit. */
export function pieces(text: string, spans: readonly Span[]): Piece[] {
  const whole = length(text);
  const found: Piece[] = [];
  let position = 0;
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) {
    const from = Math.max(position, start);
    const to = Math.min(whole, end);
    if (to <= from) continue;
    if (from > position) found.push({ text: slice(text, position, from), marked: false });
    found.push({ text: slice(text, from, to), marked: true });
    position = to;
  }
  if (position < whole || !found.length) found.push({ text: slice(text, position, whole), marked: false });
  return found;
}
