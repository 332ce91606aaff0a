import type { Schemas } from "../../api/client";

export type Explanation = Schemas["Explanation"];
export type Stage = { readonly name: string; readonly ms: number };

/** What ranks a passage, each arm first and then what decides. Whatever an answer has no ranks of is no column. */
const RANKED = ["dense", "bm25", "maxsim", "cross", "fused"] as const;

export function ranksShown({ passages }: Explanation): (typeof RANKED)[number][] {
  return RANKED.filter((name) => passages.some((passage) => name in passage.ranks));
}

/** In the order in which they took place; what stands for all of them is left out. */
export function stagesOf(stages: Readonly<Record<string, number>>): Stage[] {
  return Object.entries(stages)
    .filter(([name]) => !["total", "retrieval"].includes(name))
    .map(([name, ms]) => ({ name: name.replaceAll("_", " "), ms }));
}

const STAGES = ["auth", "rewrite", "encode", "search", "rerank", "cross", "assemble", "generate"] as const;

export function isStage(name: string): name is (typeof STAGES)[number] {
  return (STAGES as readonly string[]).includes(name);
}

/** Of the longest, for a bar. */
export function share(ms: number, stages: readonly Stage[]): number {
  const longest = Math.max(...stages.map((stage) => stage.ms), 0);
  return longest > 0 ? ms / longest : 0;
}
