import type { Schemas } from "../../api/client";

export type Conversation = Schemas["ConversationBody"];
export type Detail = Schemas["ConversationDetail"];

export type Group = {
  readonly name: "today" | "week" | "month" | "older";
  readonly items: readonly Conversation[];
};

const DAY_MS = 86_400_000;

/** By how long ago something was asked last, in the reader's own time zone; what is empty is left out. */
export function grouped(conversations: readonly Conversation[], now: Date): Group[] {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const since = {
    today: midnight,
    week: midnight - 7 * DAY_MS,
    month: midnight - 30 * DAY_MS,
    older: -Infinity,
  };
  const names = Object.keys(since) as Group["name"][];
  const nameOf = (one: Conversation) => {
    const time = new Date(one.updated_at).getTime();
    return names.find((name) => time >= since[name]) ?? "older";
  };
  return names
    .map((name) => ({ name, items: conversations.filter((one) => nameOf(one) === name) }))
    .filter(({ items }) => items.length > 0);
}
