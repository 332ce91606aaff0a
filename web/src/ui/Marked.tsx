import { plain } from "../text/plain";
import { type Span, pieces } from "../text/codePoints";

type Props = { readonly text: string; readonly spans: readonly Span[] };

/** A text of a document with some of it marked. Offsets are those of the text as it is stored. */
export function Marked({ text, spans }: Props) {
  return pieces(text, spans).map((piece, index) =>
    piece.marked ? (
      <mark key={index}>{plain(piece.text)}</mark>
    ) : (
      <span key={index}>{plain(piece.text)}</span>
    ),
  );
}
