import { queryOptions } from "@tanstack/react-query";
import { type Api, type Schemas, data } from "./client";

export type Source = Schemas["SourceBody-Output"];

/** Those from which this person may open something. */
export const sourcesQuery = (api: Api) =>
  queryOptions({
    queryKey: ["sources"],
    queryFn: async () =>
      (
        await data<Schemas["services__query_gateway__conversation_wire__SourceList"]>(
          api.calls.GET("/v1/sources"),
        )
      ).items,
    staleTime: 300_000,
  });
