import type { Schemas } from "../../api/client";
import { plain } from "../../text/plain";

export type Session = Schemas["SessionView"];
export type Ways = Schemas["WaysToSignIn"];
export type LocalPerson = Schemas["LocalPerson"];

/** Where to go after signing in: an address of ours, else the start. */
export function returnPath(text: string | null): string {
  return text !== null && /^\/(?![/\\])/.test(text) && !text.startsWith("/sign-in") ? text : "/";
}

export function initials(name: string): string {
  const words = name.trim().split(/\s+/).filter(Boolean);
  const first = [...(words[0] ?? "?")][0] ?? "?";
  const last = words.length > 1 ? ([...(words[words.length - 1] ?? "")][0] ?? "") : "";
  return (first + last).toUpperCase();
}

/** `ingrid.halvorsen@kelvane.example` as a name, where nothing better is known. */
export function nameOf(email: string): string {
  const local = email.split("@")[0] ?? email;
  return local
    .split(/[._-]+/)
    .filter(Boolean)
    .map((word) => word[0]?.toUpperCase() + word.slice(1))
    .join(" ");
}

/** Sources name authors by name or by address. */
export function authorName(author: string): string {
  return /^[^\s@]+@[^\s@]+$/.test(author) ? nameOf(author) : plain(author);
}

/** One of eight hues, always the same for the same person. */
export function hueOf(email: string): number {
  let sum = 0;
  for (const character of email) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 997;
  return sum % 8;
}

export function matches(person: LocalPerson, typed: string): boolean {
  const wanted = typed.trim().toLowerCase();
  return `${person.name} ${person.email}`.toLowerCase().includes(wanted);
}
