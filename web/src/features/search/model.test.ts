import { expect, it } from "vitest";
import { filtersOf, hintsOf, personQuery, rowAfter, searchAddress, searchFrom } from "./model";

const NOW = new Date("2026-11-30T12:00:00Z");

it("a search is the same after it was an address", () => {
  const search = {
    query: "cold chain",
    sources: ["0f8fad5b-d9cb-469f-a165-70867728950e"],
    languages: ["de"],
    authors: ["Mei Lin", "priya.raman@kelvane.example"],
    period: "month",
  } as const;
  expect(searchFrom(searchAddress(search))).toEqual(search);
});

it("what an address says wrongly narrows nothing", () => {
  const search = searchFrom(new URLSearchParams("q=x&since=ever&source=nonsense"));
  expect(filtersOf(search, NOW)).toEqual({
    source_types: [],
    languages: [],
    source_ids: [],
    container_ids: [],
    author_ids: [],
    authors: [],
  });
});

it("a name in quotes stays one name", () => {
  expect(personQuery('Mei "M" Lin')).toBe('from:"Mei  M  Lin"');
  expect(personQuery("mei.lin@kelvane.example")).toBe("from:mei.lin@kelvane.example");
});

it.each([
  ["ArrowDown", 0, 1],
  ["ArrowDown", 2, 2],
  ["ArrowUp", 0, 0],
  ["End", 0, 2],
  ["x", 1, null],
])("%s in row %i leads to %j", (key, row, expected) => {
  expect(rowAfter(key, row, 3)).toBe(expected);
});

it("where nothing was found, each condition is named that might be left out", () => {
  const read = {
    text: "x",
    phrases: [],
    excluded: [],
    people: ["mei"],
    places: [],
    kinds: ["pdf"],
    after: null,
    before: null,
  };
  expect(hintsOf(read)).toEqual([
    { key: "by", names: "mei" },
    { key: "fewer", names: "pdf" },
  ]);
  expect(hintsOf({ ...read, people: [], kinds: [] })).toEqual([]);
});
