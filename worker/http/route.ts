import type { Context, Hono, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import * as z from 'zod'
import type { Db } from '../db/open'
import type { Session } from '../db/session'
import { policies, type Actor } from '../domain/people/access'
import type { Env } from '../env'
import { arriveInTime, inPlaces, placesOfBody } from './at-once'
import { answerEarly, type EarlyCall, type LikelyCaller } from './early'
import { fromEdge } from './edge'
import type { AnyEndpoint, Endpoint, Input, Schema } from './endpoint'
import { clientAddress } from './client-address'
import { Id, Success } from './fields'
import { isTooDense, toJson } from './json'
import { splitSorting } from './page'
import { admitAddress } from './rate-limit'
import {
  charge,
  chargeRows,
  perAddress,
  perDocuments,
  rowsPerCall,
  countRowsInTime,
  toPlaces,
  writtenPerCall,
} from './throttle'
import type { Allowance } from './throttle'
import { Failure, forbidden, invalid, needsManager, trialEnded, unauthenticated } from './errors'

export type App = {
  Bindings: Env
  Variables: {
    /** The name of the call, which its answer tells as `x-request-id`. */
    request: string
    db: Db
    /** The same database, held until then. */
    hold: (cleared: Promise<void>) => Db
    session: Session
    actor: Actor | undefined
    likely: LikelyCaller | undefined
    allowances: Allowance[] | undefined
    /** Why the credentials of the request were not taken. */
    refusal: Failure | undefined
    /** The caller in another organization of theirs; 403 where they are no member. */
    actorIn: ((org_id: number) => Promise<Actor>) | undefined
  }
}

export type RequestScope = {
  db: Db
  env: Env
  now: Date
  url: URL
  actor: Actor
  /** The caller in an organization of theirs, which may be another than the current one. */
  actorIn: (org_id: number) => Promise<Actor>
  client: Client
  request: string
  /** The body of an endpoint that takes a file. */
  file: ReadableStream<Uint8Array> | null
  /** The ETags that the caller holds already. */
  known_etags: string | null
}
export type Client = { ip: string; user_agent: string }

const success = { status: 'success' } as const
/** Of a call that answers success alone a handler answers nothing. */
type Answer<Reply> = Reply | Response | (typeof success extends Reply ? void : never)

export type Bound = { contract: AnyEndpoint; bind: (app: Hono<App>) => void }

export function route<Reply, P extends Schema, Q extends Schema, B extends Schema>(contract: Endpoint<P, Q, B, Reply>) {
  const { method, access, params, query, body, status = 200 } = contract
  const reply = contract.reply ?? Success
  return {
    handle(handler: (request: Input<P, Q, B> & RequestScope) => Promise<Answer<Reply>> | Answer<Reply>): Bound {
      const answer = async (c: Context<App>) => {
        if (access !== 'public' && beginsEarly(contract)) {
          const ready = c.get('likely') && (await readOwn(c, contract))
          const early = ready && (await answerEarly(c, contract, (begun) => answerTo(c, { ...begun, ...ready })))
          if (early) return early
          if (!ready) await c.get('likely')?.confirm()
        }
        if (contract.isShared && !c.req.header('authorization'))
          return fromEdge(c, ownUrl(c), () => answerTo(c, { actor: undefined, db: c.get('db'), written: {} }))
        if (access !== 'public') requireCaller(c)
        const written = body && (await readBody(c))
        return answerTo(c, { actor: await findAsking(c, access, written), db: c.get('db'), written })
      }
      const answerTo = async (c: Context<App>, { actor, db, cleared, written }: Asking) => {
        if (!policies[access](actor)) throw access === 'manageMetadata' ? needsManager(contract.summary) : forbidden()
        refuseReadOnly(contract, actor)
        const input = {
          params: parse(params, c.req.param()),
          query: parse(query, splitSorting(readQuery(c))),
          body: parse(body, withMatch(c, body, written)),
        } as Input<P, Q, B>
        const scope = {
          db,
          env: c.env,
          now: new Date(),
          request: c.get('request'),
          url: ownUrl(c),
          file: contract.file ? c.req.raw.body : null,
          known_etags: c.req.header('if-none-match') ?? null,
          client: { ip: clientAddress(c), user_agent: c.req.header('user-agent') ?? '' },
          // A getter, so that only a handler that reads it needs a signed-in caller.
          get actor() {
            if (!actor) throw unauthenticated()
            return actor
          },
          actorIn: (org_id: number) => getActorIn(c, org_id, cleared),
        }
        const answered = await handler(Object.assign(scope, input))
        const result = answered === undefined ? success : answered
        return result instanceof Response
          ? result
          : c.body(toJson(reply.parse(result)), status, { 'content-type': 'application/json' })
      }
      const admit = admitting(contract)
      return {
        contract: { ...contract, reply } as unknown as AnyEndpoint,
        bind: (app) => {
          if (contract.alsoGet) app.on('GET', listPaths(contract), refuseUnasked, admit, answer)
          if (method !== 'GET' || !contract.alsoGet) app.on(method, listPaths(contract), admit, answer)
          if (contract.alsoMethod) app.on(contract.alsoMethod, listPaths(contract), admit, answer)
        },
      }
    },
  }
}

function requireCaller(c: Context<App>) {
  if (!c.get('actor')) throw c.get('refusal') ?? unauthenticated()
}

type Asking = Omit<Partial<EarlyCall>, 'actor'> & { actor: Actor | undefined; db: Db; written?: unknown }

const maxBody = 1_000_000
const tooLarge = (): never => {
  throw new Failure(413, 'too_large', 'The request is too large')
}

/** Counts the call before it runs, and what it read or wrote afterwards. */
const admitting = (contract: Admitted): MiddlewareHandler<App> => {
  const { access, cost = 1, file = false, max_bytes: maxSize = maxBody } = contract
  const limit = bodyLimit({ maxSize, onError: tooLarge })
  return async (c, next) => {
    const ip = clientAddress(c)
    if (access === 'public' && c.req.method !== 'GET') await admitAddress(c.env, ip)
    if (!beginsEarly(contract)) await c.get('likely')?.confirm()
    const [personal, shared] = [c.get('allowances') ?? [], perAddress(ip)]
    const documents = file ? perDocuments(c.get('actor')?.org_id) : []
    const limits = await charge(c.env, [...personal, ...shared, ...documents], cost, Date.now())
    for (const [name, value] of Object.entries(limits)) c.header(name, value)
    const settle = () => {
      const { rows_read, rows_written, duration_ms } = c.get('db').meter
      const charged = Math.max(rows_read, file ? 0 : countRowsInTime(duration_ms))
      chargeRows(c.env, personal.length ? personal : shared, { cost, rows: charged, each: rowsPerCall }, Date.now())
      // Colleagues have one address, and time passes for each of them where the database is slow.
      chargeRows(c.env, personal.length ? shared : [], { cost, rows: rows_read, each: rowsPerCall }, Date.now())
      chargeRows(c.env, documents, { cost, rows: rows_written, each: writtenPerCall }, Date.now())
    }
    if (access !== 'public' && !c.get('likely')) requireCaller(c)
    const places = toPlaces(c.env, file ? documents : [...personal, ...shared])
    const run = () => inPlaces(places, () => next().finally(settle))
    const keep = async () => void (await c.req.arrayBuffer())
    // A document streams into its reader, which has limits of its own.
    const answered = file
      ? run()
      : inPlaces(placesOfBody(places, c.req.raw), () => arriveInTime(() => limit(c, keep)).then(run))
    // A caller who goes away leaves neither the place taken nor what was read uncharged.
    c.executionCtx.waitUntil(answered.catch(() => undefined))
    await answered
  }
}
type Admitted = Pick<AnyEndpoint, 'access' | 'cost' | 'file' | 'max_bytes' | 'method' | 'asksFirst'>

/** The caller is asked for beside the answer. */
const beginsEarly = ({ method, access, file, asksFirst }: Admitted) =>
  access === 'public' ? method === 'GET' : !file && !asksFirst

/** The body, unless it names another organization: then the caller's rights there come first. */
async function readOwn(c: Context<App>, { body }: Pick<AnyEndpoint, 'body'>) {
  const written = body && (await readBody(c))
  const named = findNamedOrg(written)
  return named === undefined || named === c.get('likely')?.actor.org_id ? { written } : undefined
}

const findAsking = (c: Context<App>, access: AnyEndpoint['access'], written: unknown) =>
  access === 'public' ? c.get('actor') : findActor(c, findNamedOrg(written))

async function getActorIn(c: Context<App>, org_id: number, cleared: Promise<void> | undefined) {
  await cleared
  const there = await findActor(c, org_id)
  if (!there) throw unauthenticated()
  return there
}

async function findActor(c: Context<App>, org_id: number | undefined) {
  const [actor, actorIn] = [c.get('actor'), c.get('actorIn')]
  return actorIn && org_id !== undefined && org_id !== actor?.org_id ? actorIn(org_id) : actor
}

const Named = Id.optional().catch(undefined)
const NamesOrg = z.object({ organization_id: Named, org_id: Named })

/** A client may name the organization it acts for: one of the caller's own, checked and never trusted. */
function findNamedOrg(body: unknown) {
  const { organization_id, org_id } = NamesOrg.safeParse(body).data ?? {}
  return organization_id ?? org_id
}

function refuseReadOnly(
  { method, access, isOwnAccount }: Pick<AnyEndpoint, 'method' | 'access' | 'isOwnAccount'>,
  actor?: Actor,
) {
  if (!actor?.read_only || method === 'GET' || access === 'public') return
  if (actor.read_only === 'token') throw new Failure(403, 'read_only_token', 'This API token may only read')
  // Nobody is locked in: removing works as reading does.
  if (!isOwnAccount && method !== 'DELETE') throw trialEnded()
}

// A state-changing GET must be a deliberate call of a script: no link, image, prefetch or foreign page may trigger it.
const refuseUnasked: MiddlewareHandler<App> = async (c, next) => {
  const isPrefetch = /prefetch|prerender|preview/i.test(
    `${c.req.header('sec-purpose') ?? ''} ${c.req.header('purpose') ?? ''}`,
  )
  const isNavigation = c.req.header('sec-fetch-mode') === 'navigate'
  if (c.req.header('sec-fetch-site') === 'cross-site' || isPrefetch || isNavigation)
    throw forbidden('Call this with POST')
  await next()
}

// Hono matches both spellings of a path only when it is registered without its trailing slash.
function listPaths({ path, aliases = [] }: { path: string; aliases?: string[] }) {
  const paths = [path, ...aliases].map((spelled) => spelled.replace(/\/$/, ''))
  return paths.flatMap((plain) => (plain.startsWith('/users/') ? [plain, `/api${plain}`] : [plain]))
}

// A bad request is the caller's fault (400); a reply that breaks its schema is ours and stays a 500.
function parse(schema: Schema, value: unknown) {
  const result = schema?.safeParse(value)
  if (result && !result.success) throw invalid(result.error.issues)
  return result?.data
}

/** The published address: answers never repeat the host name that the caller used. */
function ownUrl(c: Context<App>) {
  const [asked, url] = [new URL(c.req.url), new URL(c.env.APP_URL)]
  url.pathname = asked.pathname
  url.search = asked.search
  return url
}

// One client sends `/api/vulns/??page=2`.
const readQuery = (c: Context<App>) =>
  Object.fromEntries(Object.entries(c.req.query()).map(([name, value]) => [name.replace(/^\?+/, ''), value]))

/** `If-Match` is another way to name the `version` that a body changes. */
function withMatch(c: Context<App>, schema: Schema, written: unknown) {
  const match = c.req.header('if-match')
  const form = schema instanceof z.ZodPipe ? schema.out : schema
  const takesVersion = form instanceof z.ZodObject && 'version' in form.shape
  const isObject = typeof written === 'object' && written !== null && !Array.isArray(written)
  if (!match || match === '*' || !takesVersion || !isObject || 'version' in written) return written
  return { ...written, version: match.replace(/^(?:W\/)?"(.*)"$/, '$1') }
}

const isForm = /^\s*(?:multipart\/form-data|application\/x-www-form-urlencoded)\s*(?:;|$)/i

async function readBody(c: Context<App>) {
  if (isForm.test(c.req.header('content-type') ?? ''))
    return c.req.parseBody({ all: true }).catch(() => {
      throw new Failure(400, 'invalid', 'The body is not a valid form')
    })
  const text = await c.req.text()
  if (!text) return {}
  if (isTooDense(text)) tooLarge()
  try {
    return JSON.parse(text, /\\ud[89a-f]/i.test(text) ? toWellFormed : undefined) as unknown
  } catch {
    throw new Failure(400, 'invalid', 'The body is not valid JSON')
  }
}

/** Half a character, which only JSON can spell, would come back from the database as another one. */
const toWellFormed = (_: string, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value)
