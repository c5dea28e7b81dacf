import type * as z from 'zod'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

type Issue = { path: PropertyKey[]; message: string }

/** `detail` repeats the message for older clients. */
export class Failure extends Error {
  readonly status: ContentfulStatusCode
  readonly code: string
  readonly issues: Issue[] | undefined
  readonly reason: string | undefined
  readonly headers: Record<string, string>

  constructor(
    status: ContentfulStatusCode,
    code: string,
    message: string,
    { issues, reason, headers = {} }: { issues?: Issue[]; reason?: string; headers?: Record<string, string> } = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.issues = issues
    this.reason = reason
    this.headers = headers
  }

  body() {
    const { code, message, issues, reason } = this
    return {
      code,
      message,
      detail: message,
      ...(issues && { issues }),
      ...(reason !== undefined && { status: 'error', reason }),
    }
  }
}

/** Older clients read `status` and `reason`, as where the specification refuses with 200. */
export const refused = (status: 400 | 403 | 409, code: string, reason: string, message = reason) =>
  new Failure(status, code, message, { reason })

export const notFound = (what: string) => new Failure(404, 'not_found', `${what} not found`)
/** The only row of a query, which must be there. */
export async function getFirst<Row>(rows: PromiseLike<Row[]>, what: string) {
  const [row] = await rows
  if (!row) throw notFound(what)
  return row
}
export const forbidden = (message = 'You are not allowed to do this') => new Failure(403, 'forbidden', message)
export const overQuota = (message: string) => new Failure(409, 'quota', message)
export const needsManager = (what: string) =>
  forbidden(`${what}: this needs the right to manage metadata, ask an admin of your organization`)
export const trialEnded = () =>
  new Failure(403, 'trial_ended', 'The trial is over: nothing can be changed until it is extended')
export const unauthenticated = (message = 'Authentication credentials were not provided', code = 'not_authenticated') =>
  new Failure(401, code, message, { headers: { 'www-authenticate': 'JWT realm="api"' } })
export const tokenNotValid = (message = 'Token is invalid or expired') => unauthenticated(message, 'token_not_valid')

export const needsSession = () => forbidden('This needs a signed-in user, not an API token')

/** A fault may stand at each element of a list. */
const maxIssues = 100

export function invalid(issues: z.core.$ZodIssue[] | Issue[]) {
  const named = issues.slice(0, maxIssues).map(({ path, message }) => ({ path, message }))
  const message = named[0] ? describeIssue(named[0]) : 'Invalid request'
  return new Failure(400, 'invalid', message, { issues: named })
}

const describeIssue = ({ path, message }: Issue) => (path.length ? `${path.join('.')}: ${message}` : message)
