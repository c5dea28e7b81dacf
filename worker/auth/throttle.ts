import { and, eq, inArray, sql, type SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { deleteRows, sqlStatement, statement, updateRows } from '../db/statement'
import { stamp } from '../db/time'
import { Failure } from '../http/errors'
import { literal } from '../db/values'
import { withAsciiDomain } from '../domain/people/mailbox'
import { toNetwork } from '../http/client-address'
import type { Client } from '../http/route'
import { knownPlaces, throttles, users } from '../schema/auth'
import { hashToken } from './keys'

export const maxWaitSeconds = 900
/** Failures before the first wait: many people may share an address. */
const freeFailures = { address: 20, other: 5 }

const address = (ip: string) => `address ${toNetwork(ip)}`
const pair = (account: string, ip: string) => `pair ${account} ${toNetwork(ip)}`

export const throttleKeys = {
  /** By the name that was typed, its domain in ASCII: two names of one person wait apart, so that neither tells of the other. */
  account: (typed: string) => `account ${typed}`,
  /** Wrong second factors, which only somebody who knows the password can give. */
  factor: (account: string) => `account-factor ${account}`,
  pair: (account: string, { ip }: Client) => pair(account, ip),
  session: (session_id: number) => `session ${session_id}`,
}

/** No address key where the network tells none. */
const withPlace = (key: string, account: string, { ip }: Client) => [
  key,
  pair(account, ip),
  ...(ip ? [address(ip)] : []),
]
export const signInKeys = (account: string, client: Client) => withPlace(throttleKeys.account(account), account, client)
export const factorKeys = (account: string, client: Client) => withPlace(throttleKeys.factor(account), account, client)
/** Counts by network alone, so that no stranger can block the address that a form writes to. */
export const requestKeys = ({ ip }: Client) => (ip ? [`mail-from ${toNetwork(ip)}`] : [])

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

type Place = { user_id: number | SQL; ip: string }

/**
 * Counts a failure before it checks, so that many at once cannot slip through; `giveBack` or `forget` it when it was right. A key that
 * must wait is not counted further, and a try that is stopped is counted nowhere. It travels with what is read in the same turn.
 */
export async function beginTry(
  db: Db,
  keys: string[],
  now: Date,
  { user_id = 0, ip = '' }: Partial<Place> = {},
): Promise<Try> {
  const at = stamp(now)
  const isPlace = and(eq(knownPlaces.user_id, user_id), eq(knownPlaces.network, toNetwork(ip)))
  const [blocked, held, known] = await db.$client.batch<{ key: string; blocked_until: string }>([
    statement(
      db,
      db
        .select({ key: throttles.key, blocked_until: throttles.blocked_until })
        .from(throttles)
        .where(and(inArray(throttles.key, keys), mustWait(at))),
    ),
    statement(db, countTry(keys, at)),
    statement(db, db.select({ network: knownPlaces.network }).from(knownPlaces).where(isPlace)),
  ])
  const waiting = blocked?.results ?? []
  const until = Math.max(...waiting.map(({ blocked_until }) => Date.parse(blocked_until)), 0)
  return {
    held: (held?.results ?? []).map(({ key }) => key),
    isStopped: waiting.some(({ key }) => !key.startsWith('account')),
    isAccountBlocked: waiting.some(({ key }) => key.startsWith('account')),
    isKnownPlace: ip !== '' && (known?.results ?? []).length > 0,
    retry_after: Math.max(1, Math.ceil((until - now.getTime()) / 1000)),
  }
}

// Its numbers stand in the text: those of a parameter are no integers, and would be divided as such.
const maxWait = literal(maxWaitSeconds)
const free = sql`CASE WHEN throttles.key LIKE 'address %' THEN ${literal(freeFailures.address)} ELSE ${literal(freeFailures.other)} END`

/** No wait is longer than the longest: one that ends later was begun while the clock was ahead. */
const mustWait = (at: string) =>
  sql`throttles.blocked_until > ${at} AND unixepoch(throttles.blocked_until) <= unixepoch(${at}) + ${maxWait}`

function countTry(keys: string[], at: string) {
  const typed = sql`json_each(${JSON.stringify(keys)})`
  // One failure is forgiven per longest wait that passes, so that waiting it out leads to one try and not to five.
  const rests = sql`max(0, unixepoch(${at}) - unixepoch(throttles.last_at)) / ${maxWait}`
  const failures = sql`max(0, throttles.failures - ${rests}) + 1`
  const beyond = sql`${failures} - ${free}`
  const wait = sql`CASE WHEN ${beyond} > 0 THEN min(${maxWait}, 1 << min(10, ${beyond} - 1)) ELSE 0 END`
  return sql`INSERT INTO throttles(key, failures, blocked_until, last_at)
    SELECT value, 1, ${at}, ${at} FROM ${typed} WHERE NOT EXISTS (
      SELECT 1 FROM throttles WHERE key IN (SELECT value FROM ${typed}) AND key NOT LIKE 'account%' AND ${mustWait(at)})
    ON CONFLICT(key) DO UPDATE SET failures = ${failures}, last_at = ${at},
      blocked_until = strftime('%Y-%m-%dT%H:%M:%SZ', unixepoch(${at}) + ${wait}, 'unixepoch')
    WHERE NOT (${mustWait(at)}) RETURNING key`
}

export const giveBack = (db: Db, { held }: Try, now: Date) =>
  updateRows(db, throttles, inArray(throttles.key, held), {
    failures: sql`max(0, ${throttles.failures} - 1)`,
    blocked_until: stamp(now),
  })

export const forget = (db: Db, keys: string[]) => deleteRows(db, throttles, inArray(throttles.key, keys))

export async function removeWaits(db: Db, user_id: number) {
  const user = await db
    .select({ username: users.username, email: users.email })
    .from(users)
    .where(eq(users.id, user_id))
    .get()
  const typed = [user?.username ?? '', user?.email ?? '']
  const names = await Promise.all(typed.map((name) => hashToken(withAsciiDomain(name.toLowerCase()))))
  return [forget(db, [...names.map(throttleKeys.account), throttleKeys.factor(`${user_id}`)])]
}

/** From here the user gets in whatever others try elsewhere. */
export function knowPlace(db: Db, { user_id, client }: { user_id: number; client: Client }, now: Date) {
  const network = toNetwork(client.ip)
  return sqlStatement(db)`INSERT INTO known_places(user_id, network, last_at)
      SELECT ${user_id}, ${network}, ${stamp(now)} WHERE ${network} <> ''
      ON CONFLICT DO UPDATE SET last_at = excluded.last_at`
}

export const throttled = ({ retry_after }: Try) =>
  new Failure(429, 'throttled', 'Too many attempts: try again in a moment', {
    headers: { 'retry-after': String(retry_after) },
  })
