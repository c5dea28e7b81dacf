import { pause } from '../db/readers'
import type { Env } from '../env'
import type { Places } from './at-once'
import { toNetwork } from './client-address'
import { Failure } from './errors'

/** A bucket of at most `burst` tokens, refilled with `per_second`; of its calls some run at once. */
export type Allowance = { key: string; per_second: number; burst: number; at_once?: number; longest_ms?: number }

type Bucket = { left: number; at_ms: number }

/**
 * Buckets of this isolate. Counting in memory is free, unlike a row or a Durable Object; the
 * platform's own limit (RATE_LIMIT_API) is the ceiling over all isolates of a place.
 */
const buckets = new Map<string, Bucket>()
const maxBuckets = 20_000

export const perAddress = (ip: string): Allowance[] =>
  ip ? [{ key: `address ${toNetwork(ip)}`, per_second: 50, burst: 250, at_once: 24 }] : []

/** A document arrives within five minutes (`../inventories/read/read-text`). */
const longestDocument_ms = 360_000

/** Documents of an organization, whoever sends them: the database is everybody's, and so is the memory that holds them while they are read. */
export const perDocuments = (org_id: number | undefined): Allowance[] =>
  org_id === undefined
    ? []
    : [{ key: `documents ${org_id}`, per_second: 5, burst: 600, at_once: 4, longest_ms: longestDocument_ms }]

type Measured = Allowance & { left: number; wait_s: number }

/** A call that finds a bucket empty waits for its turn, so that a client that pages in a loop gets through. */
const longestWait_s = 2
/** The longest wait bounds the calls that wait for one bucket; this bounds them over all buckets of the isolate. */
const maxWaiting = 500
/** When each of them goes on. A caller who has gone meanwhile ends its call, so that nothing counts down. */
let wakes_ms: number[] = []

/** Takes from all buckets or from none; the headers tell how much the scarcest has left. */
export async function charge(
  env: Env,
  allowances: Allowance[],
  cost: number,
  now_ms: number,
): Promise<Record<string, string>> {
  const scale = rateScale(env)
  const measured = allowances.map((allowance) => measure(scaled(allowance, scale), cost, now_ms))
  const slowest = measured.toSorted((bucket, other) => other.wait_s - bucket.wait_s)[0]
  if (!slowest) return {}
  if (slowest.wait_s > 0)
    wakes_ms = wakes_ms.filter((at_ms) => at_ms > now_ms && at_ms <= now_ms + longestWait_s * 1000)
  if (slowest.wait_s > longestWait_s || (slowest.wait_s > 0 && wakes_ms.length >= maxWaiting)) throw tooMany(slowest)
  // A bucket goes below zero by the calls that wait for it: a later caller waits longer.
  for (const { key, left, burst } of measured) put(key, { left: left - Math.min(cost, burst), at_ms: now_ms })
  const [first] = allowances
  // The platform's limit cannot be scaled, so we ask it only at the usual rate.
  if (env.RATE_LIMIT_API && first && scale === 1) {
    const { success } = await env.RATE_LIMIT_API.limit({ key: first.key })
    if (!success) throw tooMany({ ...first, left: 0, wait_s: platformPeriod_s })
  }
  if (slowest.wait_s > 0) {
    wakes_ms.push(now_ms + slowest.wait_s * 1000)
    await pause(slowest.wait_s * 1000)
  }
  const [scarcest = slowest] = measured.toSorted((bucket, other) => bucket.left - other.left)
  return headersFor({ ...scarcest, left: scarcest.left - Math.min(cost, scarcest.burst) })
}

/** A call may read, and a document write, this many rows for each unit of its cost. */
export const rowsPerCall = 2_500
/** The database serves nobody else meanwhile: each millisecond beyond what a screen takes counts as so many rows. */
const rowsPerMs = 125
const ofScreen_ms = 100

export const countRowsInTime = (duration_ms: number) => (duration_ms - ofScreen_ms) * rowsPerMs
export const writtenPerCall = 500

type Touched = { cost: number; rows: number; each: number }

/** Rows that a call touched beyond its cost are taken from what its caller has left. */
export function chargeRows(env: Env, allowances: Allowance[], { cost, rows, each }: Touched, now_ms: number) {
  const beyond = Math.floor(rows / each) - (cost - 1)
  if (beyond <= 0) return
  for (const allowance of allowances) {
    const { key, left, burst } = measure(scaled(allowance, rateScale(env)), 0, now_ms)
    put(key, { left: Math.max(left - beyond, -burst), at_ms: now_ms })
  }
}

/** A call is charged when it has read: so many of a caller may have begun before. */
export const toPlaces = (env: Env, allowances: Allowance[]): Places[] =>
  allowances.flatMap(({ key, at_once, longest_ms }) =>
    at_once ? { key, at_once: at_once * rateScale(env), what: 'calls', ...(longest_ms && { longest_ms }) } : [],
  )

const rateScale = ({ RATE_SCALE = '1' }: Env) => Number(RATE_SCALE)

const platformPeriod_s = 10

const scaled = ({ key, per_second, burst }: Allowance, scale: number) => ({
  key,
  per_second: per_second * scale,
  burst: burst * scale,
})

function measure(allowance: Allowance, cost: number, now_ms: number): Measured {
  const { key, per_second, burst } = allowance
  const known = buckets.get(key)
  // A clock that went back starts anew.
  const isNew = !known || known.at_ms > now_ms
  const left = isNew ? burst : Math.min(burst, known.left + ((now_ms - known.at_ms) / 1000) * per_second)
  const missing = Math.min(cost, burst) - left
  return { ...allowance, left, wait_s: missing > 0 ? missing / per_second : 0 }
}

function put(key: string, bucket: Bucket) {
  buckets.delete(key)
  buckets.set(key, bucket)
  // The bucket that nobody used for longest is full again, or nearly.
  const [oldest] = buckets.keys()
  if (buckets.size > maxBuckets && oldest !== undefined) buckets.delete(oldest)
}

/** As the draft "RateLimit header fields for HTTP" (httpapi-ratelimit-headers) spells them. */
function headersFor({ key, per_second, burst, left }: Measured) {
  const name = key.split(' ')[0]
  const refill_s = Math.ceil((burst - left) / per_second)
  return {
    'ratelimit-policy': `"${name}";q=${Math.floor(burst)};w=${Math.ceil(burst / per_second)}`,
    ratelimit: `"${name}";r=${Math.max(0, Math.floor(left))};t=${refill_s}`,
  }
}

const tooMany = (measured: Measured) =>
  new Failure(429, 'throttled', 'Too many requests: slow down', {
    headers: { ...headersFor(measured), 'retry-after': String(Math.ceil(measured.wait_s)) },
  })
