import { QueryClientProvider, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  type ReactNode,
  Suspense,
  createContext,
  lazy,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from "react";
import { Navigate, useLocation } from "react-router";
import { ApiContext } from "../../api/ApiContext";
import { createApi } from "../../api/client";
import { createQueries } from "../../api/queries";
import { ErrorState } from "../../ui/States";
import { sessionQuery } from "./api";
import type { Session } from "./model";

const ExpiredDialog = lazy(() => import("./ExpiredDialog").then((own) => ({ default: own.ExpiredDialog })));
const CHANNEL = "cortex:session";

type Signed = {
  readonly session: Session;
  /** Somebody has signed in or out. */
  readonly changed: () => Promise<void>;
};

const SessionContext = createContext<Signed | null>(null);

export function useSession(): Signed {
  const signed = useContext(SessionContext);
  if (signed === null) throw new Error("useSession is used outside of SessionProvider");
  return signed;
}

/**
 * What is below is shown to somebody who is signed in. When that ends meanwhile, the page stays as it is with what was
 * typed, and a dialog asks to sign in again. Other tabs are told. What was fetched for one person is kept apart from
 * what is fetched for the next.
 */
export function SessionProvider({ children }: { readonly children: (signed: Session) => ReactNode }) {
  const [expired, setExpired] = useState(false);
  const api = useMemo(() => createApi({ onSignedOut: () => setExpired(true) }), []);
  const quiet = useMemo(() => createApi(), []);
  const queries = useQueryClient();
  const query = useQuery(sessionQuery(quiet));
  const location = useLocation();
  const [last, setLast] = useState<Session | null>(null);
  const session = query.data ?? last;
  if (query.data && query.data !== last) setLast(query.data);

  // eslint-disable-next-line react-hooks/exhaustive-deps -- a new one for each person
  const own = useMemo(() => createQueries(), [session?.person_id]);

  const renewed = useCallback(async () => {
    await queries.refetchQueries({ queryKey: ["session"] });
    setExpired(false);
    await own.invalidateQueries();
  }, [queries, own]);
  const changed = useCallback(async () => {
    await renewed();
    announce();
  }, [renewed]);

  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.onmessage = () => void renewed();
    return () => channel.close();
  }, [renewed]);

  const signed = useMemo(() => (session ? { session, changed } : null), [session, changed]);
  if (query.isPending) return null;
  if (query.isError && !session)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} level={1} />;
  if (signed === null) return <Navigate to={signInAddress(location.pathname + location.search)} replace />;
  return (
    <ApiContext value={api}>
      <SessionContext value={signed}>
        <QueryClientProvider client={own}>{children(signed.session)}</QueryClientProvider>
        {(expired || query.data === null) && (
          <Suspense fallback={null}>
            <ExpiredDialog last={signed.session} onSignedIn={changed} />
          </Suspense>
        )}
      </SessionContext>
    </ApiContext>
  );
}

export function announce(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage("changed");
  channel.close();
}

export function signInAddress(from: string): string {
  return from === "/" ? "/sign-in" : `/sign-in?${new URLSearchParams({ return_to: from })}`;
}
