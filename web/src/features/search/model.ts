import type { Schemas } from "../../api/client";
import { type Period, since } from "../chat/filters";

export type Result = Schemas["SearchResult"];
export type Found = Schemas["SearchResponse"];
export type FacetValue = Schemas["FacetValue"];

/** What is searched for, as it stands in the address. */
export type Search = {
  readonly query: string;
  readonly sources: readonly string[];
  readonly languages: readonly string[];
  readonly authors: readonly string[];
  readonly period: Period;
};

export const QUERY_CHARACTERS_MAX = 2_000;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PERIODS: readonly Period[] = ["any", "week", "month", "year"];

export function searchFrom(parameters: URLSearchParams): Search {
  return {
    query: (parameters.get("q") ?? "").trim(),
    sources: parameters.getAll("source"),
    languages: parameters.getAll("lang"),
    authors: parameters.getAll("by"),
    period: PERIODS.find((period) => period === parameters.get("since")) ?? "any",
  };
}

export function searchAddress(search: Search): URLSearchParams {
  const parameters = new URLSearchParams();
  if (search.query) parameters.set("q", search.query);
  for (const source of search.sources) parameters.append("source", source);
  for (const language of search.languages) parameters.append("lang", language);
  for (const author of search.authors) parameters.append("by", author);
  if (search.period !== "any") parameters.set("since", search.period);
  return parameters;
}

export function filtersOf(search: Search, now: Date): Schemas["FiltersBody"] {
  const after = since(search.period, now);
  return {
    source_types: [],
    languages: [...search.languages],
    source_ids: search.sources.filter((id) => ID.test(id)),
    container_ids: [],
    author_ids: [],
    authors: [...search.authors],
    ...(after ? { updated_after: after } : {}),
  };
}

/** What somebody wrote, as an operator. Quotes in a name would end it. */
export function personQuery(name: string): string {
  const bare = name.replaceAll('"', " ").trim();
  return /\s/.test(bare) ? `from:"${bare}"` : `from:${bare}`;
}

export type Hint = { readonly key: "by" | "in" | "quotes" | "fewer"; readonly names: string };

/** What to try where nothing was found, made of what was typed alone. */
export function hintsOf({ people, places, phrases, kinds, excluded, after, before }: Found["read"]): Hint[] {
  const named = (key: Hint["key"], values: readonly string[]) =>
    values.length ? [{ key, names: values.join(", ") }] : [];
  return [
    ...named("by", people),
    ...named("in", places),
    ...named("quotes", phrases),
    ...named("fewer", [...kinds, ...excluded, ...[after, before].filter((day) => day !== null)]),
  ];
}

/** The row that a key leads to, or null where it leads nowhere. */
export function rowAfter(key: string, row: number, rows: number): number | null {
  if (!rows) return null;
  switch (key) {
    case "ArrowDown":
    case "j":
      return Math.min(row + 1, rows - 1);
    case "ArrowUp":
    case "k":
      return Math.max(row - 1, 0);
    case "Home":
      return 0;
    case "End":
      return rows - 1;
    default:
      return null;
  }
}
