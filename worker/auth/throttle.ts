import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { Failure } from '../http/errors'
import type { Client } from '../http/route'
import { hashToken } from './keys'

export const maxWaitSeconds = 900
/** Failures before the first wait: many people may share an address. */
const freeFailures = { address: 20, other: 5 }

const address = (ip: string) => `address ${toNetwork(ip)}`
const pair = (account: string, ip: string) => `pair ${account} ${toNetwork(ip)}`

export const throttleKeys = {
  /** By the name that was typed: two names of one person wait apart, so that neither tells of the other. */
  account: (typed: string) => `account ${typed}`,
  /** Wrong second factors, which only somebody who knows the password can give. */
  factor: (account: string) => `account-factor ${account}`,
  pair: (account: string, { ip }: Client) => pair(account, ip),
  session: (session_id: number) => `session ${session_id}`,
}

/** No address key where the network tells none. */
export const signInKeys = (account: string, { ip }: Client) => [
  throttleKeys.account(account),
  pair(account, ip),
  ...(ip ? [address(ip)] : []),
]
/** Counts by network alone, so that no stranger can block the address that a form writes to. */
export const requestKeys = ({ ip }: Client) => (ip ? [`mail-from ${toNetwork(ip)}`] : [])
export const factorKeys = (account: string, { ip }: Client) => [
  throttleKeys.factor(account),
  pair(account, ip),
  ...(ip ? [address(ip)] : []),
]

export type Try = {
  /** The keys this try was counted for. */
  held: string[]
  /** Not even worth a look: the pair, the address or another own key must wait. */
  isStopped: boolean
  /** Somebody, perhaps somebody else, failed too often at this account. */
  isAccountBlocked: boolean
  /** The user signed in from this network before, or read a mailed link there. */
  isKnownPlace: boolean
  retry_after: number
}

type Place = { user_id: number; ip: string }

/**
 * Counts a failure before it checks, so that many at once cannot slip through; `giveBack` or `forget` it when it was right. A key that
 * must wait is not counted further, and a try that is stopped is counted nowhere.
 */
export async function beginTry(db: Db, keys: string[], now: Date, place?: Place): Promise<Try> {
  const [json, at] = [JSON.stringify(keys), stamp(now)]
  const prepare = (sql: string, ...values: unknown[]) => db.$client.prepare(sql).bind(...values)
  const [blocked, held, known] = await db.$client.batch<{ key: string; blocked_until: string }>([
    prepare(
      'SELECT key, blocked_until FROM throttles WHERE key IN (SELECT value FROM json_each(?1)) AND blocked_until > ?2',
      json,
      at,
    ),
    prepare(countSql, json, at),
    prepare(
      'SELECT 1 FROM known_places WHERE user_id = ?1 AND network = ?2',
      place?.user_id ?? 0,
      toNetwork(place?.ip ?? ''),
    ),
  ])
  const waiting = blocked?.results ?? []
  const until = Math.max(...waiting.map(({ blocked_until }) => Date.parse(blocked_until)), 0)
  return {
    held: (held?.results ?? []).map(({ key }) => key),
    isStopped: waiting.some(({ key }) => !key.startsWith('account')),
    isAccountBlocked: waiting.some(({ key }) => key.startsWith('account')),
    isKnownPlace: Boolean(place?.ip) && (known?.results ?? []).length > 0,
    retry_after: Math.max(1, Math.ceil((until - now.getTime()) / 1000)),
  }
}

// One failure is forgiven per longest wait that passes, so that waiting it out leads to one try and not to five.
const failures = `max(0, throttles.failures - (unixepoch(?2) - unixepoch(throttles.last_at)) / ${maxWaitSeconds}) + 1`
const free = `CASE WHEN throttles.key LIKE 'address %' THEN ${freeFailures.address} ELSE ${freeFailures.other} END`
const wait = `CASE WHEN ${failures} > ${free} THEN min(${maxWaitSeconds}, 1 << min(10, ${failures} - ${free} - 1)) ELSE 0 END`
const countSql = `INSERT INTO throttles(key, failures, blocked_until, last_at)
  SELECT value, 1, ?2, ?2 FROM json_each(?1) WHERE NOT EXISTS (
    SELECT 1 FROM throttles WHERE key IN (SELECT value FROM json_each(?1)) AND key NOT LIKE 'account%' AND blocked_until > ?2)
  ON CONFLICT(key) DO UPDATE SET failures = ${failures}, last_at = ?2,
    blocked_until = strftime('%Y-%m-%dT%H:%M:%SZ', unixepoch(?2) + ${wait}, 'unixepoch')
  WHERE throttles.blocked_until <= ?2 RETURNING key`

export const giveBack = (db: Db, { held }: Try, now: Date) =>
  db.$client
    .prepare(
      `UPDATE throttles SET failures = max(0, failures - 1), blocked_until = ?2
       WHERE key IN (SELECT value FROM json_each(?1))`,
    )
    .bind(JSON.stringify(held), stamp(now))

export const forget = (db: Db, keys: string[]) =>
  db.$client.prepare('DELETE FROM throttles WHERE key IN (SELECT value FROM json_each(?1))').bind(JSON.stringify(keys))

export async function forgetAccount(db: Db, user_id: number) {
  const user = await db.$client
    .prepare('SELECT lower(username) AS username, lower(email) AS email FROM users WHERE id = ?1')
    .bind(user_id)
    .first<{ username: string; email: string }>()
  const names = await Promise.all([user?.username ?? '', user?.email ?? ''].map(hashToken))
  return [forget(db, [...names.map(throttleKeys.account), throttleKeys.factor(`${user_id}`)])]
}

/** From here the user gets in whatever others try elsewhere. */
export const knowPlace = (db: Db, { user_id, client }: { user_id: number; client: Client }, now: Date) =>
  db.$client
    .prepare(
      `INSERT INTO known_places(user_id, network, last_at) SELECT ?1, ?2, ?3 WHERE ?2 <> ''
       ON CONFLICT DO UPDATE SET last_at = excluded.last_at`,
    )
    .bind(user_id, toNetwork(client.ip), stamp(now))

export const throttled = ({ retry_after }: Try) =>
  new Failure(429, 'throttled', 'Too many attempts: try again in a moment', {
    headers: { 'retry-after': String(retry_after) },
  })

// One holder of IPv6 has at least a /64.
export function toNetwork(ip: string) {
  if (!ip.includes(':')) return ip
  const [head = '', tail] = ip.toLowerCase().split('::')
  const [first, last] = [head.split(':').filter(Boolean), (tail ?? '').split(':').filter(Boolean)]
  const zeros = tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0')
  return [...first, ...zeros, ...last].slice(0, 4).join(':')
}
