import { expect, it } from "vitest";
import { filtersBody, NO_FILTERS, peopleShown } from "./filters";

const OFFERED = [
  { value: "priya.raman@kelvane.example", count: 4 },
  { value: "Jonas Weber", count: 1 },
];

it("whoever was chosen comes first, and nobody twice", () => {
  const shown = peopleShown({
    chosen: ["Jonas Weber", "Mei Lin"],
    offered: OFFERED,
    named: ["X"],
    typed: "",
  });
  expect(shown).toEqual([
    { name: "Jonas Weber", count: 1 },
    { name: "Mei Lin", count: null },
    { name: "priya.raman@kelvane.example", count: 4 },
  ]);
});

it("an address is found by the name that is shown for it, and the gateway names others", () => {
  const shown = peopleShown({ chosen: [], offered: OFFERED, named: ["Priya Other"], typed: "priya r" });
  expect(shown.map(({ name }) => name)).toEqual(["priya.raman@kelvane.example", "Priya Other"]);
});

it("a question says only what it is narrowed to", () => {
  expect(filtersBody(NO_FILTERS)).toEqual({});
  expect(filtersBody({ ...NO_FILTERS, authors: ["Mei Lin"] })).toEqual({ authors: ["Mei Lin"] });
});
