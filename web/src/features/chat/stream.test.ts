import { describe, expect, it } from "vitest";
import { Problem } from "../../api/problem";
import { ASKING, type StreamEvent, applied, plainText } from "./model";
import { type Progress, follow, resume } from "./stream";

const META = { answer_id: "a-1", conversation_id: "c-1", trace_id: "t" };
const DONE = { abstained: false, reason: null, degraded: [], unsupported_dropped: 0 };
const ASK = { question: "Who?", conversationId: null, filters: {} };
const never = new AbortController().signal;

type Script = readonly (readonly [id: number, type: string, data: unknown])[];

function encoded(script: Script): string {
  return script
    .map(([id, type, data]) => `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`)
    .join("");
}

/** A body in pieces of so many bytes, which ends, or breaks where `broken`. */
function body(text: string, { size = 7, broken = false, location = "" } = {}): Response {
  const bytes = new TextEncoder().encode(text);
  let position = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (position < bytes.length) controller.enqueue(bytes.slice(position, (position += size)));
      else if (broken) controller.error(new TypeError("network"));
      else controller.close();
    },
  });
  const headers = { "Content-Type": "text/event-stream; charset=utf-8", "Content-Location": location };
  return new Response(stream, { headers });
}

type Sent = { readonly path: string; readonly after: string | null };

function server(...answers: (() => Response)[]) {
  const sent: Sent[] = [];
  const events: StreamEvent[] = [];
  const cuts: number[] = [];
  const send = async (path: string, init: RequestInit) => {
    sent.push({ path, after: new Headers(init.headers).get("Last-Event-ID") });
    const answer = answers.shift();
    if (!answer) throw new Problem("not-found");
    return answer();
  };
  const known: string[] = [];
  const progress: Progress = {
    onKnown: (answerId) => known.push(answerId),
    onEvents: (batch) => events.push(...batch),
    onCut: () => cuts.push(events.length),
  };
  return { send, sent, events, cuts, known, progress };
}

const waiting = async () => undefined;

describe("an answer's stream", () => {
  it("is read to its end, however the network cuts it into pieces", async () => {
    for (const size of [1, 3, 64, 4_096]) {
      const script: Script = [
        [1, "meta", META],
        [2, "token", { text: "Zwölf Hunde 🐕. [1]", sources: [1] }],
        [3, "done", DONE],
      ];
      const { send, events, progress } = server(() => body(`: hello\n\n${encoded(script)}`, { size }));
      await follow(send, ASK, progress, never, waiting);
      expect(events.map(({ type }) => type)).toEqual(["meta", "token", "done"]);
      expect(plainText(events.reduce(applied, ASKING))).toBe("Zwölf Hunde 🐕. [1]");
    }
  });

  it("is taken up after a cut where it ended, without losing or repeating text", async () => {
    const first = encoded([
      [1, "meta", META],
      [2, "token", { text: "One.", sources: [] }],
    ]);
    const again = encoded([
      [2, "token", { text: "One.", sources: [] }],
      [3, "token", { text: " Two.", sources: [] }],
      [4, "done", DONE],
    ]);
    const { send, sent, events, cuts, progress } = server(
      () => body(`${first}id: 3\nevent: tok`, { broken: true }),
      () => body(again),
    );
    await follow(send, ASK, progress, never, waiting);
    expect(sent).toEqual([
      { path: "/v1/chat", after: null },
      { path: "/v1/answers/a-1/stream", after: "2" },
    ]);
    expect(cuts).toEqual([2]);
    expect(plainText(events.reduce(applied, ASKING))).toBe("One. Two.");
  });

  it("is taken up too when the connection ends cleanly before the answer does", async () => {
    const { send, events, progress } = server(
      () => body(encoded([[1, "meta", META]])),
      () => body(encoded([[2, "done", DONE]])),
    );
    await follow(send, ASK, progress, never, waiting);
    expect(events.map(({ id }) => id)).toEqual([1, 2]);
  });

  it("is taken up even where nothing but the head came through", async () => {
    const id = "0f8fad5b-d9cb-469f-a165-70867728950e";
    const { send, sent, events, known, progress } = server(
      () => body("", { broken: true, location: `/v1/answers/${id}/stream` }),
      () =>
        body(
          encoded([
            [1, "meta", META],
            [2, "done", DONE],
          ]),
        ),
    );
    await follow(send, ASK, progress, never, waiting);
    expect(sent[1]).toEqual({ path: `/v1/answers/${id}/stream`, after: "0" });
    expect(known).toEqual([id]);
    expect(events.map(({ id }) => id)).toEqual([1, 2]);
  });

  it("is given up after some tries that bring nothing", async () => {
    const pauses: number[] = [];
    const { send, progress } = server(
      () => body(encoded([[1, "meta", META]])),
      ...Array.from({ length: 20 }, () => () => body("")),
    );
    const failing = follow(send, ASK, progress, never, async (ms) => void pauses.push(ms));
    await expect(failing).rejects.toMatchObject({ kind: "unreachable" });
    expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 8_000]);
  });

  it("does not ask twice: what failed before it began is reported", async () => {
    const { send, sent, progress } = server(() => {
      throw new TypeError("network");
    });
    await expect(follow(send, ASK, progress, never, waiting)).rejects.toMatchObject({ kind: "unreachable" });
    expect(sent).toHaveLength(1);
  });

  it("that is a page of a proxy is no answer", async () => {
    const page = new Response("<html>Sign in to the network</html>", {
      headers: { "Content-Type": "text/html" },
    });
    const { send, progress } = server(() => page);
    await expect(follow(send, ASK, progress, never, waiting)).rejects.toMatchObject({ kind: "unexpected" });
  });

  it("with data that is no JSON is no answer", async () => {
    const { send, progress } = server(() => body("id: 1\nevent: meta\ndata: <html>\n\n"));
    await expect(follow(send, ASK, progress, never, waiting)).rejects.toMatchObject({ kind: "unexpected" });
  });

  it("ends with what the gateway reports, and is not taken up then", async () => {
    const problem = { type: "urn:x", title: "x", status: 401, detail: "expired", trace_id: "t", errors: [] };
    const { send, sent, events, progress } = server(() =>
      body(
        encoded([
          [1, "meta", META],
          [2, "error", { problem }],
        ]),
      ),
    );
    await follow(send, ASK, progress, never, waiting);
    expect(sent).toHaveLength(1);
    expect(events.reduce(applied, ASKING)).toMatchObject({
      phase: "failed",
      problem: { kind: "signed-out" },
    });
  });

  it("of an answer from before a reload starts with what is stored", async () => {
    const { send, sent, cuts, progress } = server(() =>
      body(
        encoded([
          [1, "meta", META],
          [2, "done", DONE],
        ]),
      ),
    );
    await resume(send, "a-1", progress, never, waiting);
    expect(sent).toEqual([{ path: "/v1/answers/a-1/stream", after: "0" }]);
    expect(cuts).toEqual([]);
  });

  it("stops when it is told to", async () => {
    const stopping = new AbortController();
    const { send, progress } = server(() => body(encoded([[1, "meta", META]])));
    const stopped = follow(send, ASK, progress, stopping.signal, async () => {
      stopping.abort();
      throw new DOMException("stopped", "AbortError");
    });
    await expect(stopped).rejects.toMatchObject({ name: "AbortError" });
  });
});
