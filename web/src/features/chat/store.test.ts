import { expect, it } from "vitest";
import type { Api } from "../../api/client";
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
