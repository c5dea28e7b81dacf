import type { Context } from 'hono'
import { routePath } from 'hono/route'
import { noteError } from '../db/error-text'
import { clientAddress } from './client-address'
import type { Failure } from './errors'
import type { App } from './route'

const notedStatuses = new Set([401, 403, 413, 429])

/** Names a call in the log and to its caller: where Cloudflare is in front, by the name that it has there. */
export const nameRequest = (c: Context<App>) =>
  (c.env.TRUST_PROXY !== '0' && c.req.header('cf-ray')) || crypto.randomUUID()

export function noteRefusal(c: Context<App>, failure: Failure) {
  if (!notedStatuses.has(failure.status) || c.env.NOTE_REFUSALS === '0') return
  const at = new Date().toISOString()
  console.info(JSON.stringify({ event: 'refused', at, ...describeCall(c, failure), ip: clientAddress(c) }))
}

export const noteFailedCall = (c: Context<App>, failure: Failure, error: unknown) =>
  noteError(describeCall(c, failure), error)

/** It names the route, not the path, which may hold a token, and nothing that the caller sent. */
function describeCall(c: Context<App>, { status, code }: Failure) {
  const { user_id, org_id } = c.get('actor') ?? c.get('likely')?.actor ?? {}
  return { request: c.get('request'), status, code, method: c.req.method, route: routePath(c, -1), user_id, org_id }
}
