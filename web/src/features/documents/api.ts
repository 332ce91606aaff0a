import { queryOptions } from "@tanstack/react-query";
import { type Api, data } from "../../api/client";

export const documentQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: ["document", id],
    queryFn: () => data(api.calls.GET("/v1/documents/{document}", { params: { path: { document: id } } })),
    staleTime: 10_000,
  });
