import type { LocalPerson } from "../session/model";

export type Pair = readonly [LocalPerson, LocalPerson];

/** Whom the address names, else the reader and the first other person; null where there is nobody to choose. */
export function pairOf(
  parameters: URLSearchParams,
  people: readonly LocalPerson[],
  own: string,
): Pair | null {
  const named = parameters.getAll("as").map((email) => people.find((person) => person.email === email));
  const first = named[0] ?? people.find((person) => person.email === own) ?? people[0];
  const second = named[1] ?? people.find((person) => person.email !== first?.email);
  return first && second ? [first, second] : null;
}

export function withPerson(
  parameters: URLSearchParams,
  pair: Pair,
  index: number,
  email: string,
): URLSearchParams {
  const changed = new URLSearchParams(parameters);
  changed.delete("as");
  pair.forEach((person, place) => changed.append("as", place === index ? email : person.email));
  return changed;
}
