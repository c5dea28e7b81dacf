import type { Context } from 'hono'
import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { unlessLate } from '../db/readers'
import type { Env } from '../env'
import type { App } from './route'

/** A merge shows at the edge after so many seconds at most: then the version is asked anew. */
const version_s = 60
/** The first of those who come together reads for all; should its caller have gone, the others read for themselves. */
const patience_ms = 2_000

type Text = { status: number; headers: [string, string][]; body: string }
const flying = new Map<string, Promise<Text>>()

/**
 * Public answers from the cache of this place: by address and by the version of the knowledge, as long as caches may keep it.
 * Found there, it costs no query; else any copy of the database answers. Only answers of 200 that may be kept are.
 */
export async function fromEdge(c: Context<App>, url: URL, answer: () => Promise<Response>): Promise<Response> {
  const cache = openCache(c.env)
  c.get('session').begin('first-unconstrained')
  if (!cache || c.req.method !== 'GET') return answer()
  const versionKey = edgeKey(c.env, 'version', '')
  const known = await (await cache.match(versionKey))?.text()
  const hit = known === undefined ? undefined : await cache.match(edgeKey(c.env, known, url.href))
  if (hit) return new Response(hit.body, hit)

  const leader = flying.get(url.href)
  // A refusal may be about its caller alone.
  const led = leader && (await unlessLate(leader, patience_ms).catch(() => undefined))
  if (led && mayBeKept(led)) return toResponse(led)
  const reading = readText(c, { known, answer })
  const text = reading.then((found) => found.text)
  text.catch(() => undefined)
  flying.set(url.href, text)
  try {
    const { version, text: made } = await reading
    if (known === undefined)
      await cache.put(
        versionKey,
        new Response(version, { headers: { 'cache-control': `public, max-age=${version_s}` } }),
      )
    if (mayBeKept(made)) await cache.put(edgeKey(c.env, version, url.href), toResponse(made))
    return toResponse(made)
  } finally {
    if (flying.get(url.href) === text) flying.delete(url.href)
  }
}

type Reading = { known: string | undefined; answer: () => Promise<Response> }

async function readText(c: Context<App>, { known, answer }: Reading) {
  const [version, response] = await Promise.all([known ?? findVersion(c.get('db')), answer()])
  const { status } = response
  return { version, text: { status, headers: [...response.headers], body: await response.text() } }
}

async function findVersion(db: Db) {
  const [found] = await db.all<{ value: number }>(sql`SELECT value FROM counters WHERE name = 'kb_version'`)
  return String(found?.value ?? 0)
}

const mayBeKept = ({ status, headers }: Text) =>
  status === 200 && headers.some(([name, value]) => name === 'cache-control' && value.startsWith('public,'))

const toResponse = ({ status, headers, body }: Text) => new Response(status === 304 ? null : body, { status, headers })

/** Under the published address, with what no caller can ask for. */
export const edgeKey = ({ APP_URL }: Pick<Env, 'APP_URL'>, version: string, href: string) =>
  `${APP_URL}/.edge/${encodeURIComponent(version)}/${encodeURIComponent(href)}`

/** Without Cloudflare in front there is no edge. */
const openCache = ({ EDGE_CACHE, TRUST_PROXY }: Env) =>
  EDGE_CACHE === '0' || TRUST_PROXY === '0' || typeof caches === 'undefined' ? undefined : caches.default
