/** Conversations that this page holds. An answer goes on while one looks at another page. */

import type { Api } from "../../api/client";
import { Problem, asProblem } from "../../api/problem";
import { type Filters, filtersBody } from "./filters";
import { ASKING, type Answer, applied, isOver, type StreamEvent } from "./model";
import { type Progress, follow, resume } from "./stream";

export type Turn = {
  readonly key: string;
  readonly question: string;
  readonly filters: Filters;
  readonly answer: Answer;
};

/** `older` leads to what was asked before the first of the turns; null where there is nothing. */
export type Conversation = {
  readonly id: string | null;
  readonly turns: readonly Turn[];
  readonly older: string | null;
};

const EMPTY: Conversation = { id: null, turns: [], older: null };

/** `place` is the page's own name of a conversation: its id once there is one, a name of the page's before. */
export class ChatStore {
  private readonly conversations = new Map<string, Conversation>();
  private readonly ids = new Map<string, string>();
  private readonly running = new Map<string, AbortController>();
  private readonly listeners = new Set<() => void>();
  private counter = 0;

  constructor(
    private readonly api: Api,
    private readonly onAnswered: () => void = () => undefined,
    private readonly onBegan: (id: string) => void = () => undefined,
  ) {}

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  get(place: string): Conversation {
    return this.conversations.get(this.known(place)) ?? EMPTY;
  }

  has(place: string): boolean {
    return this.conversations.has(this.known(place));
  }

  /** A name for a conversation that has not begun. */
  fresh(): string {
    this.counter += 1;
    return `new-${this.counter}`;
  }

  /** What the page called a conversation first: the same before and after it has its id. */
  nameOf(place: string): string {
    const id = this.known(place);
    return [...this.ids].find(([, known]) => known === id)?.[0] ?? id;
  }

  /** What the gateway stores of a conversation, unless this page knows more of it. */
  load(place: string, turns: readonly Turn[], older: string | null): void {
    if (this.has(place)) return;
    this.put(place, { id: place, turns, older });
    for (const turn of turns) if (turn.answer.phase === "reconnecting") void this.takeUp(place, turn);
  }

  /** Puts turns from before the first ones in front of them, unless somebody has done so meanwhile. */
  loadOlder(place: string, cursor: string, turns: readonly Turn[], older: string | null): void {
    const conversation = this.get(place);
    if (conversation.older !== cursor) return;
    this.put(place, { ...conversation, turns: [...turns, ...conversation.turns], older });
  }

  forget(place: string): void {
    this.conversations.delete(this.known(place));
    this.tell();
  }

  async ask(place: string, question: string, filters: Filters): Promise<void> {
    const key = this.newKey();
    const conversation = this.get(place);
    this.put(place, {
      ...conversation,
      turns: [...conversation.turns, { key, question, filters, answer: ASKING }],
    });
    await this.run(place, key, (progress, signal) =>
      follow(
        this.api.send,
        { question, conversationId: this.get(place).id, filters: filtersBody(filters) },
        progress,
        signal,
      ),
    );
  }

  /** A conversation of this one question. Asked again while it is under way, it is the same question. */
  begin(place: string, question: string, filters: Filters): void {
    const last = this.get(place).turns[0];
    if (last && last.question === question && !isOver(last.answer)) return;
    this.ids.delete(place);
    this.conversations.delete(place);
    void this.ask(place, question, filters);
  }

  /** Asks the same again. */
  async retry(place: string, key: string): Promise<void> {
    const turn = this.get(place).turns.find((one) => one.key === key);
    if (!turn) return;
    const { turns, ...conversation } = this.get(place);
    // The gateway keeps what it began to answer, and so does the page.
    if (turn.answer.answerId === null) {
      this.put(place, { ...conversation, turns: turns.filter((one) => one.key !== key) });
    }
    await this.ask(place, turn.question, turn.filters);
  }

  /** Ends the answer here and at the gateway; what has come so far stays. */
  async stop(place: string, key: string): Promise<void> {
    const answerId = this.get(place).turns.find((turn) => turn.key === key)?.answer.answerId;
    this.change(place, key, (answer) => (isOver(answer) ? answer : { ...answer, phase: "stopped" }));
    this.running.get(key)?.abort();
    if (!answerId) return;
    await this.api.send(`/v1/answers/${answerId}/stop`, { method: "POST" }).catch(ignoreProblem);
  }

  private async takeUp(place: string, turn: Turn): Promise<void> {
    const { answerId } = turn.answer;
    if (answerId === null) return;
    this.change(place, turn.key, (answer) => ({
      ...answer,
      segments: [],
      sources: [],
      lastEventId: 0,
      done: null,
    }));
    await this.run(place, turn.key, (progress, signal) => resume(this.api.send, answerId, progress, signal));
  }

  private async run(place: string, key: string, following: Following): Promise<void> {
    const stopping = new AbortController();
    this.running.set(key, stopping);
    const onEvents = (events: readonly StreamEvent[]) => {
      this.change(place, key, (answer) => events.reduce(applied, answer));
      const answer = this.answer(place, key);
      if (answer?.conversationId && this.get(place).id === null) {
        this.began(place, answer.conversationId);
      }
    };
    const onKnown = (answerId: string) => this.change(place, key, (answer) => ({ ...answer, answerId }));
    const onCut = () => this.change(place, key, (answer) => ({ ...answer, phase: "reconnecting" }));
    try {
      await following({ onKnown, onEvents, onCut }, stopping.signal);
    } catch (error) {
      if (!stopping.signal.aborted) {
        const problem = asProblem(error);
        this.change(place, key, (answer) =>
          isOver(answer) ? answer : { ...answer, phase: "failed", problem },
        );
      }
    } finally {
      this.running.delete(key);
      this.onAnswered();
    }
  }

  private answer(place: string, key: string): Answer | undefined {
    return this.get(place).turns.find((turn) => turn.key === key)?.answer;
  }

  private change(place: string, key: string, change: (answer: Answer) => Answer): void {
    const conversation = this.get(place);
    const turns = conversation.turns.map((turn) =>
      turn.key === key ? { ...turn, answer: change(turn.answer) } : turn,
    );
    this.put(place, { ...conversation, turns });
  }

  /** From now on the conversation is known by its id, and still by the name that the page gave it. */
  private began(place: string, id: string): void {
    const conversation = this.get(place);
    this.conversations.delete(place);
    this.ids.set(place, id);
    this.onBegan(id);
    this.put(id, { ...conversation, id });
  }

  private known(place: string): string {
    return this.ids.get(place) ?? place;
  }

  private put(place: string, conversation: Conversation): void {
    this.conversations.set(this.known(place), conversation);
    this.tell();
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }

  private newKey(): string {
    this.counter += 1;
    return `turn-${this.counter}`;
  }
}

type Following = (progress: Progress, signal: AbortSignal) => Promise<void>;

function ignoreProblem(error: unknown): void {
  if (!(error instanceof Problem) && !(error instanceof TypeError)) throw error;
}
