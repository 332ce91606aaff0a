/** What a question or a search is narrowed to. */

import { authorName } from "../session/model";

export type Filters = {
  readonly sourceIds: readonly string[];
  /** As the sources name them: by name or by address. */
  readonly authors: readonly string[];
  readonly updatedAfter: string | null;
};

export const NO_FILTERS: Filters = { sourceIds: [], authors: [], updatedAfter: null };

export function filtersBody(filters: Filters): Record<string, unknown> {
  return {
    ...(filters.sourceIds.length ? { source_ids: filters.sourceIds } : {}),
    ...(filters.authors.length ? { authors: filters.authors } : {}),
    ...(filters.updatedAfter ? { updated_after: filters.updatedAfter } : {}),
  };
}

export const PERIODS = { any: 0, week: 7, month: 30, year: 365 } as const;
export type Period = keyof typeof PERIODS;

const DAY_MS = 86_400_000;

export function since(period: Period, now: Date): string | null {
  return period === "any" ? null : new Date(now.getTime() - PERIODS[period] * DAY_MS).toISOString();
}

/** The period whose begin is nearest to a time: the menu shows what was chosen, whenever that was. */
export function periodOf(updatedAfter: string | null, now: Date): Period {
  if (updatedAfter === null) return "any";
  const days = (now.getTime() - new Date(updatedAfter).getTime()) / DAY_MS;
  const known = (Object.keys(PERIODS) as Period[]).filter((period) => period !== "any");
  return known.sort((a, b) => Math.abs(PERIODS[a] - days) - Math.abs(PERIODS[b] - days))[0] ?? "any";
}

export function toggled(values: readonly string[], value: string): readonly string[] {
  return values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
}

type Known = {
  readonly chosen: readonly string[];
  readonly offered: readonly { readonly value: string; readonly count: number }[];
  /** By the gateway, for what was typed. */
  readonly named: readonly string[];
  readonly typed: string;
};

export type Person = { readonly name: string; readonly count: number | null };

/** Who was chosen first, then whom the search found, then whom the typed letters name. Nobody twice. */
export function peopleShown({ chosen, offered, named, typed }: Known): Person[] {
  const counts = new Map(offered.map(({ value, count }) => [value, count]));
  const wanted = typed.trim().toLocaleLowerCase();
  const fits = (name: string) => `${authorName(name)} ${name}`.toLocaleLowerCase().includes(wanted);
  const found = [...chosen.filter(fits), ...[...counts.keys()].filter(fits), ...(wanted ? named : [])];
  return [...new Set(found)].map((name) => ({ name, count: counts.get(name) ?? null }));
}
