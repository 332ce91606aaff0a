import { infiniteQueryOptions } from "@tanstack/react-query";
import { type Api, type Schemas, data } from "../../api/client";

export const shareQuery = (api: Api, token: string) =>
  infiniteQueryOptions({
    queryKey: ["share", token],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) =>
      data<Schemas["SharedConversation"]>(
        api.calls.GET("/v1/shares/{token}", {
          params: { path: { token }, query: pageParam === null ? {} : { cursor: pageParam } },
        }),
      ),
    getNextPageParam: (last) => last.next_cursor,
  });
