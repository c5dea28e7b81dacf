import { sql, type SQL } from 'drizzle-orm'
import { entryHash, headMac, headStatement, type AuditHead, type Chained } from '../auth/audit'
import { getDataKey, openDataKey } from '../auth/data-keys'
import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { stamp } from '../db/time'
import type { Env } from '../env'
import { countCompared } from '../exposure/write-findings'
import { watchedPlace } from '../schema/inventories'
import { watchAwaited } from '../watchlist/awaited-names'
import { findHere, type NamedRow, type Move } from './move'
import type { NamedKind } from './tables'

/** For rows that came between the first backup of that night and the last. */
const room = 1_000_000

/** Nobody here gets a number that a row of a backup has. */
export function leaveRoom(db: Db, { orgs, ...tables }: Record<string, number>) {
  const json = JSON.stringify(tables)
  return db.$client.batch(
    [
      sql`INSERT INTO sqlite_sequence(name, seq) SELECT key, 0 FROM json_each(${json}) WHERE key NOT IN (SELECT name FROM sqlite_sequence)`,
      sql`UPDATE sqlite_sequence SET seq = max(sqlite_sequence.seq, j.value + ${room}) FROM json_each(${json}) j WHERE sqlite_sequence.name = j.key`,
      sql`INSERT INTO counters(name, value) VALUES ('last_org_id', ${orgs ?? 0}) ON CONFLICT(name) DO UPDATE SET value = max(value, excluded.value)`,
    ].map((query) => statement(db, query)),
  )
}

/** Names that were awaited when it was saved, and are known here. */
export async function settleAwaited(db: Db, org_id: number, now: Date) {
  const rows = await db.all<{ kind: Exclude<NamedKind, 'bulletin'>; value: string }>(
    sql`SELECT kind, value FROM awaited WHERE org_id = ${org_id}`,
  )
  const named = await Promise.all(
    [...Map.groupBy(rows, ({ kind }) => kind)].map(async ([kind, some]) => {
      const isOne = kind === 'vendor' || kind === 'vuln'
      const asked = some.flatMap(({ value }): NamedRow[] => (isOne ? [[value, '', value]] : listSplits(value)))
      const found = await findHere(db, org_id, kind, asked)
      return found.map(({ asked: value, first, name }) => ({
        kind,
        first: first || name,
        second: name,
        value: String(value),
      }))
    }),
  )
  const statements = watchAwaited(db, named.flat(), stamp(now))
  if (statements.length) await db.$client.batch(statements)
}

const listSplits = (value: string): NamedRow[] =>
  [...value.matchAll(/:/g)].map(({ index }) => [value, value.slice(0, index), value.slice(index + 1)])

/** Steps compare all that runs with what is known here, and none of it is news. */
export async function judgeAnew(db: Db, org_id: number) {
  const live = await db.all<{ id: number }>(
    sql`SELECT id FROM inventories WHERE org_id = ${org_id} AND removed_at IS NULL`,
  )
  const note = (place: SQL, id: SQL, from: SQL) =>
    sql`INSERT INTO inventory_due(org_id, inventory_id, component_id, vuln_id) SELECT x.org_id, ${place}, ${id}, 0 FROM ${from}
      WHERE x.org_id = ${org_id} ON CONFLICT DO NOTHING`
  const components = sql`inventory_components x CROSS JOIN inventories i ON i.org_id = x.org_id AND i.id = x.inventory_id AND i.removed_at IS NULL`
  await db.$client.batch([
    ...[
      sql`UPDATE inventories SET tells = 'nothing' WHERE org_id = ${org_id} AND removed_at IS NULL AND tells = 'each'`,
      note(sql`x.inventory_id`, sql`x.id`, components),
      note(sql`${watchedPlace.product}`, sql`x.product_id`, sql`monitored_products x`),
      note(sql`${watchedPlace.package}`, sql`x.package_id`, sql`monitored_packages x`),
    ].map((query) => statement(db, query)),
    ...live.map(({ id }) => countCompared(db, { org_id, inventory_id: id })),
  ])
}

const entriesAtOnce = 2_000
type Entry = Chained & { id: number; hash: string }

/** The log is bound to a key of its database: entries that were whole there are bound to that of this one, and others stay broken. */
export async function rechain(env: Env, { db, org_id, actors }: Move, sealed: string) {
  const [old, key] = [await openDataKey(env, sealed), await getDataKey(env, db, 'audit')]
  const [head] = await db.all<AuditHead>(sql`SELECT * FROM audit_heads WHERE org_id = ${org_id}`)
  if (!head || head.mac !== (await headMac(old, head))) return
  let [before, prev_hash] = [head.pruned_hash, head.pruned_hash]
  const chained: [id: number, prev_hash: string, hash: string][] = []
  for (let after = 0; ;) {
    const rows = await db.all<Entry>(
      sql`SELECT * FROM audit_log WHERE org_id = ${org_id} AND seq > ${after} ORDER BY seq LIMIT ${entriesAtOnce}`,
    )
    for (const { hash, ...row } of rows) {
      const was = { ...row, actor_id: actors.get(row.seq) ?? null }
      const isWhole = row.prev_hash === before && hash === (await entryHash(old, was))
      const made = isWhole ? await entryHash(key, { ...row, prev_hash }) : 'broken'
      chained.push([row.id, prev_hash, made])
      before = hash
      prev_hash = made
      after = row.seq
    }
    if (!rows.length) break
  }
  const end = before === head.hash ? { ...head, hash: prev_hash } : head
  await db.$client.batch([
    ...bulk(
      db,
      `UPDATE audit_log SET prev_hash = j.value->>1, hash = j.value->>2 FROM jsonb_each(?1) j WHERE audit_log.id = j.value->>0`,
      chained,
    ),
    await headStatement(db, key, end),
  ])
}
