/** An answer as its events build it: pure, so that a stream, its resumption and a stored answer end alike. */

import type { Schemas } from "../../api/client";
import { Problem, problemOf } from "../../api/problem";

export type Source = Schemas["AnswerSource"];
export type Citation = Schemas["CitationBody"];
export type Rating = NonNullable<Schemas["AnswerBody"]["rating"]>;
/** What of a stored answer is shown; the nearest sources are named where there is no answer. */
export type StoredAnswer = Pick<
  Schemas["AnswerBody"],
  | "answer_id"
  | "conversation_id"
  | "state"
  | "answer"
  | "abstained"
  | "reason"
  | "sources"
  | "citations"
  | "unsupported_dropped"
  | "degraded"
  | "trace_id"
> & {
  readonly rating?: Rating | null;
  readonly nearest?: readonly number[];
  readonly confidence?: number | null;
};

/** A sentence as it came, with what supports it. `numbers` are those that its text ends with. */
export type Segment = {
  readonly text: string;
  readonly numbers: readonly number[];
  readonly citations: readonly Citation[];
};

export type Phase = "asking" | "streaming" | "reconnecting" | "done" | "stopped" | "failed";

export type Done = {
  readonly abstained: boolean;
  readonly reason: string | null;
  readonly degraded: readonly string[];
  readonly unsupportedDropped: number;
  readonly nearest: readonly number[];
  /** From 0 to 1. Null where a language model wrote, or where the reader may not open every source. */
  readonly confidence: number | null;
};

export type Answer = {
  readonly phase: Phase;
  readonly answerId: string | null;
  readonly conversationId: string | null;
  readonly rewritten: string | null;
  readonly lastEventId: number;
  readonly sources: readonly Source[];
  readonly segments: readonly Segment[];
  readonly done: Done | null;
  readonly problem: Problem | null;
  readonly rating: Rating | null;
};

export type StreamEvent = { readonly id: number; readonly type: string; readonly data: unknown };

export const ASKING: Answer = {
  phase: "asking",
  answerId: null,
  conversationId: null,
  rewritten: null,
  lastEventId: 0,
  sources: [],
  segments: [],
  done: null,
  problem: null,
  rating: null,
};

export const isOver = (answer: Answer): boolean => ["done", "stopped", "failed"].includes(answer.phase);

type Fields = Record<string, unknown>;

const fieldsOf = (data: unknown): Fields =>
  typeof data === "object" && data !== null ? (data as Fields) : {};
const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** After a cut a stream may repeat what came already; an event counts once. */
export function applied(answer: Answer, event: StreamEvent): Answer {
  if (event.id <= answer.lastEventId || isOver(answer)) return answer;
  return { ...withEvent(answer, event.type, fieldsOf(event.data), event.data), lastEventId: event.id };
}

function withEvent(answer: Answer, type: string, fields: Fields, data: unknown): Answer {
  switch (type) {
    case "meta":
      return {
        ...answer,
        phase: "streaming",
        answerId: textOf(fields["answer_id"]),
        conversationId: textOf(fields["conversation_id"]),
        rewritten: textOf(fields["rewritten_question"]),
      };
    case "sources":
      return { ...answer, phase: "streaming", sources: Array.isArray(data) ? (data as Source[]) : [] };
    case "token": {
      const numbers = Array.isArray(fields["sources"]) ? (fields["sources"] as number[]) : [];
      const segment = { text: textOf(fields["text"]) ?? "", numbers, citations: [] };
      return { ...answer, phase: "streaming", segments: [...answer.segments, segment] };
    }
    case "citation":
      return { ...answer, segments: withCitation(answer.segments, data as Citation) };
    case "done":
      return { ...answer, phase: answer.phase === "stopped" ? "stopped" : "done", done: doneOf(fields) };
    case "error":
      return { ...answer, phase: "failed", problem: problemOf(fields["problem"], 500) };
    default:
      return answer;
  }
}

function withCitation(segments: readonly Segment[], citation: Citation): readonly Segment[] {
  const last = segments[segments.length - 1];
  if (!last) return segments;
  return [...segments.slice(0, -1), { ...last, citations: [...last.citations, citation] }];
}

function doneOf(fields: Fields): Done {
  return {
    abstained: fields["abstained"] === true,
    reason: textOf(fields["reason"]),
    degraded: Array.isArray(fields["degraded"]) ? (fields["degraded"] as string[]) : [],
    unsupportedDropped: typeof fields["unsupported_dropped"] === "number" ? fields["unsupported_dropped"] : 0,
    nearest: Array.isArray(fields["nearest"]) ? (fields["nearest"] as number[]) : [],
    confidence: typeof fields["confidence"] === "number" ? fields["confidence"] : null,
  };
}

const MARKERS = /((?:\[\d+\])+)(?=\s|$)/g;

/** A stored answer as if it had just been streamed. Its text says which citations belong to which sentence. */
export function ofStored(stored: StoredAnswer): Answer {
  const left = [...stored.citations];
  const segments: Segment[] = [];
  let position = 0;
  for (const match of stored.answer.matchAll(MARKERS)) {
    const numbers = [...match[0].matchAll(/\d+/g)].map(Number);
    const end = match.index + match[0].length;
    const citations = left.splice(0, taken(left, numbers));
    segments.push({ text: stored.answer.slice(position, end), numbers, citations });
    position = end;
  }
  const rest = stored.answer.slice(position);
  if (rest.trim()) segments.push({ text: rest, numbers: [], citations: [] });
  return {
    ...ASKING,
    phase: phaseOf(stored.state),
    problem: stored.state === "failed" ? new Problem("failed", "", stored.trace_id) : null,
    rating: stored.rating ?? null,
    answerId: stored.answer_id,
    conversationId: stored.conversation_id,
    sources: stored.sources,
    segments,
    done: {
      abstained: stored.abstained,
      reason: stored.reason,
      degraded: stored.degraded,
      unsupportedDropped: stored.unsupported_dropped,
      nearest: stored.nearest ?? [],
      confidence: stored.confidence ?? null,
    },
  };
}

function phaseOf(state: StoredAnswer["state"]): Phase {
  return state === "running" ? "reconnecting" : state;
}

/** How many of the citations that come next are of the sentence that names `numbers`: as few as name each once. */
function taken(citations: readonly Citation[], numbers: readonly number[]): number {
  const wanted = new Set(numbers);
  let count = 0;
  while (wanted.size && count < citations.length) {
    const citation = citations[count];
    if (!citation || !numbers.includes(citation.n)) break;
    wanted.delete(citation.n);
    count += 1;
  }
  return count;
}

/** How sure the composer is, in words. Below its own threshold it does not answer at all. */
export type Sureness = "high" | "medium" | "low";

export function sureness(confidence: number): Sureness {
  if (confidence >= 0.8) return "high";
  return confidence >= 0.5 ? "medium" : "low";
}

export function plainText(answer: Answer): string {
  return answer.segments
    .map((segment) => segment.text)
    .join("")
    .trim();
}
