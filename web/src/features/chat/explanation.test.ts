import { expect, it } from "vitest";
import { type Explanation, ranksShown } from "./explanation";

const explained = (...ranks: Record<string, number>[]) =>
  ({ passages: ranks.map((one) => ({ ranks: one })) }) as unknown as Explanation;

it("a column is shown for what ranked something, in the order of the stages", () => {
  expect(ranksShown(explained({ fused: 1, maxsim: 2 }, { dense: 1, fused: 2 }))).toEqual([
    "dense",
    "maxsim",
    "fused",
  ]);
});

it("what a gateway does not tell is no column, and what is unknown here neither", () => {
  expect(ranksShown(explained({ fused: 1, novelty: 3 }))).toEqual(["fused"]);
  expect(ranksShown(explained())).toEqual([]);
});
