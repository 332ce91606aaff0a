import { queryOptions } from "@tanstack/react-query";
import { type Api, createApi, data } from "../../api/client";
import { Problem } from "../../api/problem";
import type { Session } from "./model";

export const sessionQuery = (api: Api) =>
  queryOptions({
    queryKey: ["session"],
    queryFn: async (): Promise<Session | null> => {
      try {
        return await data(api.calls.GET("/auth/session"));
      } catch (error) {
        if (error instanceof Problem && error.kind === "signed-out") return null;
        throw error;
      }
    },
    staleTime: 60_000,
    refetchOnWindowFocus: true,
  });

export const waysQuery = (api: Api) =>
  queryOptions({ queryKey: ["ways"], queryFn: () => data(api.calls.GET("/auth/ways")), staleTime: Infinity });

export const peopleQuery = (api: Api) =>
  queryOptions({
    queryKey: ["local-people"],
    queryFn: async () => (await data(api.calls.GET("/auth/local/people"))).items,
    staleTime: 300_000,
  });

export async function signInAs(api: Api, email: string): Promise<void> {
  await data(api.calls.POST("/auth/local/session", { body: { email, tenant: "default" } }));
}

/** With a local token, as `cortex token EMAIL` prints it. */
export async function signInWithToken(token: string): Promise<void> {
  await data(createApi({ token }).calls.POST("/auth/local/session", { body: { tenant: "default" } }));
}

export async function tokenFor(api: Api, email: string): Promise<string> {
  return (await data(api.calls.POST("/auth/local/token", { body: { email, tenant: "default" } }))).token;
}

export async function signOut(api: Api): Promise<void> {
  await data(api.calls.POST("/auth/sign-out"));
}
