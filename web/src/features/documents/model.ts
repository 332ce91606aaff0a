import type { Schemas } from "../../api/client";
import type { Span } from "../../text/codePoints";

export type Document = Schemas["DocumentBody-Output"];
export type Block = Schemas["BlockBody"];
export type Anchor = Schemas["AnchorBody"];

/** A place in a document: some spans of one block, and the revision that they were counted in. */
export type Place = { readonly blockId: number; readonly spans: readonly Span[]; readonly revision: number };

export function placeOf(anchors: readonly Anchor[]): Place | null {
  const first = anchors[0];
  if (!first) return null;
  const own = anchors.filter((anchor) => anchor.block_id === first.block_id);
  return {
    blockId: first.block_id,
    revision: first.revision,
    spans: own.map(({ start, end }) => [start, end]),
  };
}

/** As in an address: `at=BLOCK.START.END&rev=REVISION`. */
export function placeAddress(documentId: string, place: Place | null): string {
  const path = `/documents/${encodeURIComponent(documentId)}`;
  const span = place?.spans[0];
  if (!place || !span) return path;
  return `${path}?at=${place.blockId}.${span[0]}.${span[1]}&rev=${place.revision}`;
}

export function placeFrom(parameters: URLSearchParams): Place | null {
  const match = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/.exec(parameters.get("at") ?? "");
  if (!match) return null;
  const [blockId, start, end] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return { blockId, spans: [[start, end]], revision: Number(parameters.get("rev") ?? 0) };
}

/** Offsets hold in the revision they were counted in; in a later one the block may be another. */
export function isCurrent(document: Document, place: Place | null): boolean {
  return place === null || place.revision === 0 || place.revision === document.revision;
}

/** The block, and `around` on each side of it. */
export function surroundings(blocks: readonly Block[], blockId: number, around: number): readonly Block[] {
  const index = blocks.findIndex((block) => block.block_id === blockId);
  return index < 0 ? [] : blocks.slice(Math.max(0, index - around), index + around + 1);
}

/** The blocks without a first heading that says the title again. */
export function body(document: Document): readonly Block[] {
  const first = document.blocks[0];
  const repeats = first?.kind === "heading" && first.text.trim() === document.title.trim();
  return repeats ? document.blocks.slice(1) : document.blocks;
}

/** List items that follow each other are one list. */
export type Group = { readonly list: boolean; readonly blocks: readonly Block[] };

export function grouped(blocks: readonly Block[]): Group[] {
  const found: { list: boolean; blocks: Block[] }[] = [];
  for (const block of blocks) {
    const list = block.kind === "list_item";
    const last = found[found.length - 1];
    if (last?.list && list) last.blocks.push(block);
    else found.push({ list, blocks: [block] });
  }
  return found;
}
