import type { Call, Endpoint, Schema } from '../../worker/http/endpoint'
import { takeEarly } from './early'

export const timeout_ms = 20_000
const file_ms = 120_000

export type Issue = { path: PropertyKey[]; message: string }

/** Status 0 means that no answer came. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly issues: Issue[]
  /** How long to wait before the next call, where the worker says so. */
  wait_s = 0
  /** Where the worker failed: by what its operator finds the call in the log. */
  reference: string | undefined

  constructor(status: number, code: string, message: string, issues: Issue[] = []) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.issues = issues
  }
}

/** `renew` answers nothing when the session has ended. */
type Credentials = {
  access: () => string | undefined
  renew: (stale: string) => Promise<string | undefined>
  /** Asks the user for the password or a passkey when the worker wants a fresh proof; answers whether they gave it. */
  prove: () => Promise<boolean>
}

let credentials: Credentials = {
  access: () => undefined,
  renew: () => Promise.resolve(undefined),
  prove: () => Promise.resolve(false),
}

export function authorizeCalls(granted: Credentials) {
  credentials = granted
}

/** `file` is the body of an endpoint that takes one; such calls take longer than others. With `keepalive` the call outlives the page. */
type Options = { signal?: AbortSignal; file?: Blob; keepalive?: boolean; etag?: string }
type Given<P extends Schema, Q extends Schema, B extends Schema> =
  unknown extends Call<P, Q, B> ? [request?: Options] : [request: Call<P, Q, B> & Options]
type Target<Reply> = Pick<Endpoint<undefined, undefined, undefined, Reply>, 'method' | 'path' | 'access' | 'reply'>
type Request = Options & { params?: unknown; query?: unknown; body?: unknown }

export async function call<Reply, P extends Schema, Q extends Schema, B extends Schema>(
  contract: Endpoint<P, Q, B, Reply>,
  ...[request = {}]: Given<P, Q, B>
): Promise<Reply> {
  return callWith(contract, request)
}

/** As `call`, where the types of the request are known already. */
export const callWith = <Reply>(contract: Target<Reply>, request: Request) =>
  withAccess(contract, (access) => fetchFrom(contract, request, { access, read: readReply<Reply> }))

/** Asks with the ETag of the answer that is held already; null if that still holds. */
export const callIfChanged = <Reply>(contract: Target<Reply>, request: Options) =>
  withAccess(contract, (access) =>
    fetchFrom(contract, request, {
      access,
      read: async (response) =>
        response.status === 304
          ? null
          : { etag: response.headers.get('etag') ?? '', reply: await readReply<Reply>(response) },
    }),
  )

export async function callForFile<P extends Schema, Q extends Schema, B extends Schema>(
  contract: Endpoint<P, Q, B, unknown>,
  ...[request = {}]: Given<P, Q, B>
): Promise<Blob> {
  return withAccess(contract, (access) => fetchFrom(contract, request, { access, read: (response) => response.blob() }))
}

async function withAccess<Reply>(contract: { access: string }, ask: (access?: string) => Promise<Reply>) {
  try {
    return await withFreshAccess(contract, ask)
  } catch (error) {
    if (!isUnproved(error) || !(await credentials.prove())) throw error
    return withFreshAccess(contract, ask)
  }
}

async function withFreshAccess<Reply>(contract: { access: string }, ask: (access?: string) => Promise<Reply>) {
  const access = contract.access === 'public' ? undefined : credentials.access()
  try {
    return await ask(access)
  } catch (error) {
    if (!access || !isExpired(error)) throw error
    const renewed = await credentials.renew(access)
    if (!renewed) throw error
    return ask(renewed)
  }
}

type How<Reply> = { access: string | undefined; read: (response: Response) => Promise<Reply> }

async function fetchFrom<Reply>(
  { method, path }: Pick<Target<unknown>, 'method' | 'path'>,
  request: Request,
  { access, read }: How<Reply>,
) {
  const { params, query, body, signal, file, keepalive = false, etag } = request
  const headers = toHeaders(access)
  const sent = headers.get(header)
  if (etag) headers.set('if-none-match', etag)
  const form = toForm(body)
  // The browser sets the type of a form, with its boundary.
  if (body !== undefined && !form) headers.set('content-type', 'application/json')

  const timeout = AbortSignal.timeout(file ? file_ms : timeout_ms)
  const init = { method, headers, keepalive, signal: signal ? AbortSignal.any([signal, timeout]) : timeout }
  try {
    const url = toUrl(path, params, query)
    const early = method === 'GET' ? await takeEarly(url) : undefined
    const response = early ?? (await fetch(url, { ...init, body: file ?? form ?? JSON.stringify(body) }))
    keepBookmark(response, early ? null : sent)
    if (method !== 'GET') written_ms = performance.now()
    if (!response.ok && response.status !== 304) throw await readFailure(response)
    return await read(response)
  } catch (error) {
    if (error instanceof ApiError || signal?.aborted) throw error
    if (timeout.aborted) throw new ApiError(0, 'timeout', 'Earshot did not answer in time')
    if (navigator.onLine === false) throw new ApiError(0, 'offline', 'You are offline')
    throw new ApiError(0, 'unreachable', 'Earshot cannot be reached')
  }
}

/** A body with a file becomes a form; its other values become JSON. */
function toForm(body: unknown) {
  const fields = Object.entries(Object(body))
  if (!fields.some(([, value]) => value instanceof Blob)) return undefined
  const form = new FormData()
  for (const [name, value] of fields) {
    if (value instanceof Blob) form.set(name, value)
    else if (value !== undefined) form.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  return form
}

export function toUrl(path: string, params: unknown = {}, query: unknown = {}) {
  const values = new Map(Object.entries(Object(params)))
  const filled = path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(String(values.get(name))))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(Object(query))) {
    if (value !== undefined) search.set(name, String(value))
  }
  // As `early.ts` has them in another order.
  search.sort()
  return search.size > 0 ? `${filled}?${search}` : filled
}

const longestShown_s = 900

async function readFailure(response: Response) {
  const failure = await response.json().catch(() => ({}))
  const { code, issues, message = `Earshot answered ${response.status}`, reason = message } = failure
  const wait = response.headers.get('retry-after')
  // A quota of a day says itself for how long.
  const isShort = wait !== null && Number(wait) <= longestShown_s
  const text = isShort ? `${reason} (wait ${wait} ${wait === '1' ? 'second' : 'seconds'})` : reason
  const error = new ApiError(response.status, code ?? 'unknown', text, issues)
  error.wait_s = Number(wait) || 0
  if (response.status >= 500) error.reference = response.headers.get('x-request-id') ?? undefined
  return error
}

// The worker parses every reply with the contract's schema before it sends it; doing so again would cost time and size.
async function readReply<Reply>(response: Response) {
  return (await response.json()) as Reply
}

const isUnproved = (error: unknown) => error instanceof ApiError && error.code === 'password_needed'
const isExpired = (error: unknown) => error instanceof ApiError && error.code === 'token_not_valid'

const storageKey = 'EarshotSeen'
const header = 'x-d1-bookmark'
/** A copy that does not know a write yet would wait for it. The primary, which answers without a bookmark, need not. */
const spread_ms = 2_000
let written_ms = Number.NEGATIVE_INFINITY

/** With the state of the database that this browser has seen, in all tabs: a copy of it that answers must know as much. */
export function toHeaders(access: string | undefined) {
  const headers = new Headers({ accept: 'application/json' })
  if (!access) return headers
  headers.set('authorization', `JWT ${access}`)
  const isSpread = performance.now() - written_ms > spread_ms
  const seen = isSpread ? localStorage.getItem(storageKey) : null
  if (seen) headers.set(header, seen)
  return headers
}

/** Answers may come in another order than the calls; one that knows less than its call went by tells of another database. */
function keepBookmark({ headers }: Response, sent: string | null) {
  const answered = headers.get(header)
  const seen = localStorage.getItem(storageKey) ?? ''
  if (answered && (answered > seen || (sent !== null && answered < sent))) localStorage.setItem(storageKey, answered)
}
