import createClient, { type Client } from "openapi-fetch";
import { Problem, asProblem, problemOfResponse } from "./problem";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];
export type Send = (path: string, init: RequestInit) => Promise<Response>;

/** The gateway as one person sees it: typed calls, and `send` for streams. Everything else throws a Problem. */
export type Api = { readonly calls: Client<paths>; readonly send: Send };

type Options = { readonly token?: string; readonly onSignedOut?: () => void };

/** With a token requests are that person's and carry no cookie; without, they are the session's. */
export function createApi({ token, onSignedOut }: Options = {}): Api {
  const send: Send = async (path, init) => {
    const headers = new Headers(init.headers);
    if (token) headers.set("Authorization", `Bearer ${token}`);
    const response = await fetch(path, { ...init, headers, credentials: token ? "omit" : "same-origin" });
    if (response.ok) return response;
    const problem = await problemOfResponse(response);
    if (problem.kind === "signed-out") onSignedOut?.();
    throw problem;
  };
  const calls = createClient<paths>({
    baseUrl: globalThis.location?.origin ?? "http://localhost",
    fetch: async (request) => {
      const response = await send(request.url, await initOf(request));
      const json = response.headers.get("content-type")?.includes("json") ?? false;
      if (response.status !== 204 && !json) throw new Problem("unexpected");
      return response;
    },
  });
  return { calls, send };
}

async function initOf(request: Request): Promise<RequestInit> {
  const body = request.method === "GET" ? {} : { body: await request.text() };
  return { method: request.method, headers: request.headers, signal: request.signal, ...body };
}

/** The data of a call that did not throw. */
export async function data<T>(
  call: Promise<{ data?: unknown; error?: unknown }> | Promise<{ data?: T }>,
): Promise<T> {
  try {
    const { data: found } = await call;
    return found as T;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    if (error instanceof SyntaxError) throw new Problem("unexpected");
    throw asProblem(error);
  }
}
