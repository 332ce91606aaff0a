import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { type Api, data } from "../../api/client";
import type { Schemas } from "../../api/client";
import type { Detail } from "./model";

const PAGE = 30;

export const conversationsQuery = (api: Api, containing: string) =>
  infiniteQueryOptions({
    queryKey: ["conversations", containing],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      data<Schemas["ConversationList"]>(
        api.calls.GET("/v1/conversations", {
          signal,
          params: {
            query: { q: containing, limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) },
          },
        }),
      ),
    getNextPageParam: (last) => last.next_cursor,
  });

export const conversationQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: ["conversation", id],
    queryFn: () =>
      data<Detail>(
        api.calls.GET("/v1/conversations/{conversation}", { params: { path: { conversation: id } } }),
      ),
    staleTime: 0,
  });

export const olderTurns = (api: Api, conversation: string, cursor: string) =>
  data<Detail>(
    api.calls.GET("/v1/conversations/{conversation}", {
      params: { path: { conversation }, query: { cursor } },
    }),
  );

const path = (conversation: string) => ({ params: { path: { conversation } } });

export async function rename(api: Api, id: string, title: string): Promise<void> {
  await data(api.calls.PATCH("/v1/conversations/{conversation}", { ...path(id), body: { title } }));
}

export async function remove(api: Api, id: string): Promise<void> {
  await data(api.calls.DELETE("/v1/conversations/{conversation}", path(id)));
}

export async function share(api: Api, id: string): Promise<Schemas["ShareBody"]> {
  return data(api.calls.POST("/v1/conversations/{conversation}/share", path(id)));
}

export async function withdraw(api: Api, id: string): Promise<void> {
  await data(api.calls.DELETE("/v1/conversations/{conversation}/share", path(id)));
}

export const exportAddress = (id: string) => `/v1/conversations/${encodeURIComponent(id)}/export`;
