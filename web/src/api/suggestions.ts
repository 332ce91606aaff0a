import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type Api, type Schemas, data } from "./client";

export type Suggestion = Schemas["Suggestions"]["items"][number];

const CHARACTERS_MAX = 100;

/** Titles and authors that begin so, of what this person may open. */
export const suggestionsQuery = (api: Api, typed: string) =>
  queryOptions({
    queryKey: ["suggestions", typed],
    enabled: typed !== "" && typed.length <= CHARACTERS_MAX,
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: async ({ signal }) =>
      (
        await data<Schemas["Suggestions"]>(
          api.calls.GET("/v1/suggest", { signal, params: { query: { q: typed } } }),
        )
      ).items,
  });
