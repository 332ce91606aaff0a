import { describe, expect, it } from "vitest";
import { ASKING, type StoredAnswer, applied, ofStored, sureness } from "./model";

const anchor = { revision: 1, block_id: 0, start: 0, end: 4 };
const cite = (n: number, quote: string) => ({ n, quote, document_id: `d-${n}`, chunk_id: "c", anchor });

describe("an answer's events", () => {
  it("add up to sentences with their citations", () => {
    const events = [
      { id: 1, type: "meta", data: { answer_id: "a", conversation_id: "c" } },
      { id: 2, type: "sources", data: [] },
      { id: 3, type: "token", data: { text: "One. [1]", sources: [1] } },
      { id: 4, type: "citation", data: cite(1, "One.") },
      { id: 5, type: "token", data: { text: " Two. [2]", sources: [2] } },
      { id: 6, type: "citation", data: cite(2, "Two.") },
      { id: 7, type: "done", data: { abstained: false, degraded: ["rerank"] } },
    ];
    const answer = events.reduce(applied, ASKING);
    expect(answer.segments.map((segment) => segment.citations.map(({ quote }) => quote))).toEqual([
      ["One."],
      ["Two."],
    ]);
    expect(answer).toMatchObject({ phase: "done", conversationId: "c", done: { degraded: ["rerank"] } });
  });

  it("count once, and not after the end", () => {
    const token = { id: 2, type: "token", data: { text: "Once.", sources: [] } };
    const twice = [token, token, { id: 3, type: "done", data: {} }, { ...token, id: 4 }].reduce(
      applied,
      ASKING,
    );
    expect(twice.segments).toHaveLength(1);
  });

  it("of a kind that is not known yet are passed over", () => {
    const answer = applied(ASKING, { id: 9, type: "weather", data: { text: "sunny" } });
    expect(answer).toEqual({ ...ASKING, lastEventId: 9 });
  });

  it("with data of another shape break nothing", () => {
    for (const data of [null, 7, "text", [], { text: 7, sources: "x" }]) {
      for (const type of ["meta", "sources", "token", "citation", "done", "error"]) {
        expect(() => applied(ASKING, { id: 1, type, data })).not.toThrow();
      }
    }
  });
});

describe("a stored answer", () => {
  const stored: StoredAnswer = {
    answer_id: "a",
    conversation_id: "c",
    state: "done",
    answer: "See [3] below. One. [1][2] Two. [1]",
    abstained: false,
    reason: null,
    sources: [],
    citations: [cite(3, "See"), cite(1, "One"), cite(2, "One"), cite(1, "Two")],
    unsupported_dropped: 0,
    degraded: [],
    trace_id: "t",
  };

  it("gives each sentence the citations that came with it", () => {
    const { segments } = ofStored(stored);
    expect(segments.map(({ citations }) => citations.map(({ n, quote }) => `${n} ${quote}`))).toEqual([
      ["3 See"],
      ["1 One", "2 One"],
      ["1 Two"],
    ]);
    expect(segments.map(({ text }) => text).join("")).toBe(stored.answer);
  });

  it("that is still being written is to be taken up", () => {
    expect(ofStored({ ...stored, state: "running" }).phase).toBe("reconnecting");
  });
});

it("a confidence is said in words, and one that nobody gives is none", () => {
  expect([0.97, 0.7, 0.35].map(sureness)).toEqual(["high", "medium", "low"]);
  const done = (data: object) => applied(ASKING, { id: 1, type: "done", data }).done?.confidence;
  expect([done({ confidence: 0.4 }), done({ confidence: null }), done({})]).toEqual([0.4, null, null]);
});
