import type { Schemas } from "../../api/client";
import { ofStored } from "../chat/model";
import { NO_FILTERS } from "../chat/filters";
import type { Turn } from "../chat/store";

export type SharedTurn = Schemas["SharedTurn"];

/** A shared turn as one of a conversation: it has no id, since nobody may do anything with it but read. */
export function turnOf(shared: SharedTurn, index: number): Turn {
  const answer = ofStored({
    ...shared,
    answer_id: "",
    conversation_id: "",
    state: "done",
    reason: null,
    unsupported_dropped: 0,
    degraded: [],
    trace_id: "",
  });
  return {
    key: `shared-${index}`,
    question: shared.question,
    filters: NO_FILTERS,
    answer: { ...answer, answerId: null, conversationId: null },
  };
}
