import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import { type Api, data } from "../../api/client";
import { type Found, type Search, filtersOf } from "./model";

const PAGE = 10;
const FACETS = ["source_id", "language", "author"] as const;

export const searchQuery = (api: Api, search: Search) =>
  infiniteQueryOptions({
    queryKey: ["search", search],
    enabled: search.query !== "",
    initialPageParam: null as string | null,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam, signal }) =>
      data<Found>(
        api.calls.POST("/v1/search", {
          signal,
          body: {
            query: search.query,
            limit: PAGE,
            mode: "hybrid",
            filters: filtersOf(search, new Date()),
            facets: pageParam === null ? [...FACETS] : [],
            explain: false,
            operators: true,
            fold: true,
            ...(pageParam === null ? {} : { cursor: pageParam }),
          },
        }),
      ),
    getNextPageParam: (last) => last.next_cursor,
  });
