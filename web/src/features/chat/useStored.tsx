import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { useApi } from "../../api/ApiContext";
import { ErrorState, Skeleton } from "../../ui/States";
import { conversationQuery } from "../conversations/api";
import type { Detail } from "../conversations/model";
import { useChat } from "./ChatProvider";
import { ofStored } from "./model";
import { NO_FILTERS } from "./filters";
import type { Turn } from "./store";

/** Fetches a conversation that this page does not hold yet; what to show meanwhile, or null. */
export function useStored(id: string | undefined): ReactNode {
  const { store } = useChat();
  const query = useQuery({
    ...conversationQuery(useApi(), id ?? ""),
    enabled: id !== undefined && !store.has(id),
  });
  useEffect(() => {
    if (id === undefined || query.data?.conversation_id !== id) return;
    store.load(id, turnsOf(query.data), query.data.next_cursor);
  }, [id, query.data, store]);
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} level={1} />;
  return query.isFetching ? <Skeleton lines={6} /> : null;
}

export function turnsOf({ turns }: Detail): Turn[] {
  return turns.map((stored) => ({
    key: stored.answer_id,
    question: stored.question,
    filters: NO_FILTERS,
    answer: ofStored(stored),
  }));
}
