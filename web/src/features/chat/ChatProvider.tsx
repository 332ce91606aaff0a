import { type ReactNode, createContext, useCallback, useContext, useMemo, useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { useApi } from "../../api/ApiContext";
import { useSession } from "../session/SessionProvider";
import { Drafts } from "./drafts";
import { ChatStore } from "./store";

type Chat = {
  readonly store: ChatStore;
  readonly drafts: Drafts;
  /** The name of the conversation that would be new. */
  readonly place: string;
  readonly renew: () => void;
};

const ChatContext = createContext<Chat | null>(null);

export function useChat(): Chat {
  const chat = useContext(ChatContext);
  if (chat === null) throw new Error("useChat is used outside of ChatProvider");
  return chat;
}

/** One person's conversations; mounted anew for the next person. */
export function ChatProvider({ children }: { readonly children: ReactNode }) {
  const api = useApi();
  const queries = useQueryClient();
  const { session } = useSession();
  const drafts = useMemo(() => new Drafts(localStorage, session.person_id), [session.person_id]);
  const store = useMemo(() => {
    const answered = () => void queries.invalidateQueries({ queryKey: ["conversations"] });
    return new ChatStore(api, answered, (id) => drafts.began(id));
  }, [api, queries, drafts]);
  const [place, setPlace] = useState(() => store.fresh());
  const renew = useCallback(() => setPlace(store.fresh()), [store]);
  const chat = useMemo(() => ({ store, drafts, place, renew }), [store, drafts, place, renew]);
  return <ChatContext value={chat}>{children}</ChatContext>;
}
