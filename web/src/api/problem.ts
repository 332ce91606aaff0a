import type { components } from "./schema";

type ProblemBody = components["schemas"]["ProblemBody"];

/** What a page should do about an error; each has a text in every language. */
export type ProblemKind =
  | "unreachable"
  | "unexpected"
  | "signed-out"
  | "denied"
  | "not-found"
  | "invalid"
  | "too-many"
  | "unavailable"
  | "failed";

/** An answer that is none. `detail` is the gateway's own sentence, in English, where it gave one. */
export class Problem extends Error {
  constructor(
    readonly kind: ProblemKind,
    readonly detail: string = "",
    readonly traceId: string = "",
    readonly retryAfterS: number | null = null,
  ) {
    super(detail || kind);
    this.name = "Problem";
  }
}

const KINDS: ReadonlyMap<number, ProblemKind> = new Map([
  [400, "invalid"],
  [401, "signed-out"],
  [403, "denied"],
  [404, "not-found"],
  [409, "invalid"],
  [413, "invalid"],
  [422, "invalid"],
  [429, "too-many"],
  [502, "unavailable"],
  [503, "unavailable"],
  [504, "unavailable"],
]);

function isProblem(body: unknown): body is ProblemBody {
  return typeof body === "object" && body !== null && "status" in body && "detail" in body && "type" in body;
}

/** From the body of an event or a response; what is no problem document is unexpected. */
export function problemOf(body: unknown, status: number, retryAfter: string | null = null): Problem {
  const retryAfterS = retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : null;
  if (isProblem(body)) {
    return new Problem(KINDS.get(body.status) ?? "failed", body.detail, body.trace_id, retryAfterS);
  }
  if (status === 502 || status === 503 || status === 504)
    return new Problem("unavailable", "", "", retryAfterS);
  return new Problem("unexpected");
}

/** A proxy may answer with a page of its own where JSON was asked for. */
export async function problemOfResponse(response: Response): Promise<Problem> {
  const body: unknown = await response.json().catch(() => null);
  return problemOf(body, response.status, response.headers.get("retry-after"));
}

/** Whatever was thrown, as a problem. An aborted request is the caller's own doing and stays as it is. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return error instanceof TypeError ? new Problem("unreachable") : new Problem("unexpected");
}
