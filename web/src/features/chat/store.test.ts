import { expect, it } from "vitest";
import type { Api } from "../../api/client";
import { Drafts, NEW } from "./drafts";
import { NO_FILTERS } from "./filters";
import { ASKING } from "./model";
import { ChatStore, type Turn } from "./store";

const turn = (key: string): Turn => ({
  key,
  question: key,
  filters: NO_FILTERS,
  answer: { ...ASKING, phase: "done" },
});
const keys = (store: ChatStore) => store.get("c").turns.map(({ key }) => key);

it("what was asked before is put in front once, however often it is fetched", () => {
  const store = new ChatStore({} as Api);
  store.load("c", [turn("3"), turn("4")], "before-3");
  store.loadOlder("c", "before-3", [turn("1"), turn("2")], null);
  store.loadOlder("c", "before-3", [turn("1"), turn("2")], null);
  expect(keys(store)).toEqual(["1", "2", "3", "4"]);
  expect(store.get("c").older).toBeNull();
});

const EVENTS = [
  ["meta", { answer_id: "a", conversation_id: "c-1" }],
  ["done", { abstained: true }],
] as const;

const answering = {
  send: async () =>
    new Response(
      EVENTS.map(([type, data], n) => `id: ${n + 1}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`).join(
        "",
      ),
      { headers: { "content-type": "text/event-stream" } },
    ),
} as unknown as Api;

it("what is typed while a conversation gets its id stays in it, under the name that it had", async () => {
  const held = new Map<string, string>();
  const storage = {
    getItem: (key: string) => held.get(key) ?? null,
    setItem: (key: string, value: string) => void held.set(key, value),
    removeItem: (key: string) => void held.delete(key),
  } as unknown as Storage;
  const drafts = new Drafts(storage, "ann");
  const store = new ChatStore(answering, undefined, (id) => drafts.began(id));
  const place = store.fresh();
  drafts.write(NEW, "and then?");
  await store.ask(place, "What first?", NO_FILTERS);
  expect([drafts.read(NEW), drafts.read("c-1")]).toEqual(["", "and then?"]);
  expect([store.nameOf(place), store.nameOf("c-1"), store.nameOf("c-2")]).toEqual([place, place, "c-2"]);
});
