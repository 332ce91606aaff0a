/** Asking, and staying with an answer until it is over: a cut stream is taken up where it ended. */

import { createParser } from "eventsource-parser";
import type { Send } from "../../api/client";
import { Problem, asProblem } from "../../api/problem";
import type { StreamEvent } from "./model";

export type Ask = {
  readonly question: string;
  readonly conversationId: string | null;
  readonly filters: Record<string, unknown>;
};

export type Progress = {
  /** Which answer it is, before its first event. */
  readonly onKnown: (answerId: string) => void;
  /** Events in order, as many as one piece of the network brought. */
  readonly onEvents: (events: readonly StreamEvent[]) => void;
  /** The stream was cut and is being taken up again. */
  readonly onCut: () => void;
};

export type Waiting = (ms: number, signal: AbortSignal) => Promise<void>;

const PAUSES_MS: readonly number[] = [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000];
const ANSWER = /^\/v1\/answers\/([0-9a-f-]{36})\/stream$/;
const ENDINGS = new Set(["done", "error"]);

/** Ends when the answer does. Throws a Problem when it cannot be had, and AbortError when `signal` says so. */
export async function follow(
  send: Send,
  ask: Ask,
  progress: Progress,
  signal: AbortSignal,
  waiting: Waiting = pause,
): Promise<void> {
  const state = new Reading(progress);
  try {
    await state.read(await send("/v1/chat", asking(ask, signal)), signal);
  } catch (error) {
    if (!isCut(error, signal) || state.answerId === null) throw reported(error, signal);
  }
  await takeUp(send, state, progress, signal, waiting);
}

/** The rest of an answer that somebody began elsewhere, or before a reload. */
export async function resume(
  send: Send,
  answerId: string,
  progress: Progress,
  signal: AbortSignal,
  waiting: Waiting = pause,
): Promise<void> {
  const state = new Reading(progress);
  state.answerId = answerId;
  await takeUp(send, state, progress, signal, waiting, { first: true });
}

async function takeUp(
  send: Send,
  state: Reading,
  progress: Progress,
  signal: AbortSignal,
  waiting: Waiting,
  { first = false }: { first?: boolean } = {},
): Promise<void> {
  let attempt = first ? -1 : 0;
  while (!state.over) {
    if (state.answerId === null) throw new Problem("unexpected");
    const before = state.lastId;
    if (attempt >= 0) {
      progress.onCut();
      const ms = PAUSES_MS[attempt];
      if (ms === undefined) throw new Problem("unreachable");
      await waiting(ms, signal);
    }
    attempt += 1;
    try {
      const headers = { Accept: "text/event-stream", "Last-Event-ID": String(state.lastId) };
      await state.read(await send(`/v1/answers/${state.answerId}/stream`, { headers, signal }), signal);
    } catch (error) {
      if (!isCut(error, signal)) throw reported(error, signal);
    }
    if (state.lastId > before) attempt = 0;
  }
}

function asking(ask: Ask, signal: AbortSignal): RequestInit {
  const conversation = ask.conversationId === null ? {} : { conversation_id: ask.conversationId };
  return {
    method: "POST",
    headers: { Accept: "text/event-stream", "Content-Type": "application/json" },
    body: JSON.stringify({ question: ask.question, filters: ask.filters, ...conversation }),
    signal,
  };
}

/** What has been read of one answer, over as many connections as it took. */
class Reading {
  answerId: string | null = null;
  lastId = 0;
  over = false;

  constructor(private readonly progress: Progress) {}

  async read(response: Response, signal: AbortSignal): Promise<void> {
    if (!response.headers.get("content-type")?.startsWith("text/event-stream") || response.body === null) {
      throw new Problem("unexpected");
    }
    this.know(response.headers.get("content-location") ?? "");
    let batch: StreamEvent[] = [];
    const parser = createParser({
      onEvent: ({ id, event, data }) => {
        const parsed = this.taken(Number(id ?? 0), event ?? "message", data);
        if (parsed) batch.push(parsed);
      },
    });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        signal.throwIfAborted();
        if (done) return;
        parser.feed(value);
        if (batch.length) this.progress.onEvents(batch);
        batch = [];
        if (this.over) return;
      }
    } finally {
      reader.cancel().catch(() => undefined);
    }
  }

  /** From the head of the response: the first event may be lost with the connection. */
  private know(location: string): void {
    const known = ANSWER.exec(location)?.[1];
    if (this.answerId !== null || known === undefined) return;
    this.answerId = known;
    this.progress.onKnown(known);
  }

  private taken(id: number, type: string, data: string): StreamEvent | null {
    if (!Number.isInteger(id) || id <= this.lastId) return null;
    let parsed: unknown;
    try {
      parsed = JSON.parse(data);
    } catch {
      throw new Problem("unexpected");
    }
    this.lastId = id;
    if (type === "meta" && typeof parsed === "object" && parsed !== null && "answer_id" in parsed) {
      this.answerId = String(parsed.answer_id);
    }
    this.over ||= ENDINGS.has(type);
    return { id, type, data: parsed };
  }
}

/** The network's doing, after which another try may help. */
function isCut(error: unknown, signal: AbortSignal): boolean {
  if (signal.aborted) return false;
  if (error instanceof Problem) return error.kind === "unavailable" || error.kind === "unreachable";
  return error instanceof TypeError || (error instanceof DOMException && error.name === "NetworkError");
}

function reported(error: unknown, signal: AbortSignal): unknown {
  return signal.aborted ? new DOMException("stopped", "AbortError") : asProblem(error);
}

export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stopped = () => {
      clearTimeout(timer);
      reject(new DOMException("stopped", "AbortError"));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stopped);
      resolve();
    }, ms);
    signal.addEventListener("abort", stopped, { once: true });
  });
}
