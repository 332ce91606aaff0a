import type { Schemas } from "../../api/client";
import { type Period, since } from "../chat/FilterMenu";

export type Result = Schemas["SearchResult"];
export type Found = Schemas["SearchResponse"];
export type FacetValue = Schemas["FacetValue"];

/** What is searched for, as it stands in the address. */
export type Search = {
  readonly query: string;
  readonly types: readonly string[];
  readonly languages: readonly string[];
  readonly period: Period;
};

export const QUERY_CHARACTERS_MAX = 2_000;
const PERIODS: readonly Period[] = ["any", "week", "month", "year"];

export function searchFrom(parameters: URLSearchParams): Search {
  return {
    query: (parameters.get("q") ?? "").trim(),
    types: parameters.getAll("type"),
    languages: parameters.getAll("lang"),
    period: PERIODS.find((period) => period === parameters.get("since")) ?? "any",
  };
}

export function searchAddress(search: Search): URLSearchParams {
  const parameters = new URLSearchParams();
  if (search.query) parameters.set("q", search.query);
  for (const type of search.types) parameters.append("type", type);
  for (const language of search.languages) parameters.append("lang", language);
  if (search.period !== "any") parameters.set("since", search.period);
  return parameters;
}

export function toggled(values: readonly string[], value: string): readonly string[] {
  return values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
}

export function filtersOf(search: Search, now: Date): Schemas["FiltersBody"] {
  const after = since(search.period, now);
  return {
    source_types: [...search.types],
    languages: [...search.languages],
    source_ids: [],
    container_ids: [],
    author_ids: [],
    ...(after ? { updated_after: after } : {}),
  };
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
