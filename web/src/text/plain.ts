/** Texts of documents are data: what would reorder or hide the text around them is taken out before they are shown. */

// Embeddings, overrides and isolates of the bidirectional algorithm, and what is drawn as nothing at all.
const DIRECTION = /[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/g;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u200b\u2060\ufeff\ufff9-\ufffb\ue000-\ue001]/g;

export function plain(text: string): string {
  return text.replace(DIRECTION, "").replace(CONTROL, "");
}

/** A title on one line, never empty. */
export function plainTitle(text: string, fallback: string): string {
  return plain(text).replace(/\s+/g, " ").trim() || fallback;
}
