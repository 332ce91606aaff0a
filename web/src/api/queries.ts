import { QueryClient } from "@tanstack/react-query";
import { Problem } from "./problem";

const RETRIES_MAX = 2;
const PASSING = new Set(["unreachable", "unavailable"]);

export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: (count, error) => count < RETRIES_MAX && error instanceof Problem && PASSING.has(error.kind),
        refetchOnWindowFocus: false,
        staleTime: 30_000,
      },
    },
  });
}
