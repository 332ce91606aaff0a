import type { Schemas } from "../../api/client";

export type Explanation = Schemas["Explanation"];
export type Stage = { readonly name: string; readonly ms: number };

/** In the order in which they took place; what stands for all of them is left out. */
export function stagesOf(stages: Readonly<Record<string, number>>): Stage[] {
  return Object.entries(stages)
    .filter(([name]) => !["total", "retrieval"].includes(name))
    .map(([name, ms]) => ({ name: name.replaceAll("_", " "), ms }));
}

/** Of the longest, for a bar. */
export function share(ms: number, stages: readonly Stage[]): number {
  const longest = Math.max(...stages.map((stage) => stage.ms), 0);
  return longest > 0 ? ms / longest : 0;
}
