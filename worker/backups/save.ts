import { eq, gte, inArray, sql, type SQL } from 'drizzle-orm'
import { nameDatabase } from '../auth/data-keys'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import type { Env } from '../env'
import { counters } from '../schema/counters'
import { dataKeys } from '../schema/keys'
import { auditLog } from '../schema/orgs'
import { saveCursors } from './cursors'
import { saveLeft } from './left-users'
import {
  comingKey,
  forgetOrg,
  indexKey,
  keptNights,
  listNights,
  nightFolder,
  pageKey,
  putSealed,
  removeFolder,
} from './store'
import type { SavedPage, Row } from './store'
import {
  findNamedKind,
  isOwn,
  keptNumbers,
  listKeptTables,
  namedKinds,
  namedParams,
  namesByKind,
  namesPart,
} from './tables'
import type { KeptTable, NamedKind } from './tables'

/** Of a minute, so that a night has room for 10,000: an invocation may ask the database a thousand times, and each takes some seventy. */
const orgsPerMinute = 9
const fromHour = 1
/** After so many nothing more is taken: the next minute goes on. Other jobs of the minute ask two hundred at most. */
const maxQueries = 600
/** Of a page, in the memory of an isolate. Two million findings of an organization are a few hundred pages. */
const [pageBytes, pageRows] = [1_000_000, 10_000]

/** Every night each organization once, some a minute; without a place for them, none. */
export async function backUpOrgs(env: Env, db: Db, now: Date) {
  if (!env.BACKUPS || now.getUTCHours() < fromHour) return
  const night = stamp(now).slice(0, 10)
  const last = await startNight({ env, db, bucket: env.BACKUPS }, night, now)
  const due = await db.all<{ id: number }>(
    sql`SELECT id FROM orgs WHERE id > ${last} ORDER BY id LIMIT ${orgsPerMinute}`,
  )
  const tables = due.length ? listKeptTables() : []
  const failures: unknown[] = []
  for (const { id } of due) {
    if (db.meter.queries > maxQueries) break
    // One that fails, or with which the worker dies, does not keep the others from theirs.
    await setCounter(db, 'backup_org', id)
    await backUpOrg({ env, db, bucket: env.BACKUPS, tables }, id, now).catch((error: unknown) => failures.push(error))
  }
  if (failures.length) throw failures[0]
}

const setCounter = (db: Db, name: 'backup_night' | 'backup_org', value: number) =>
  db.run(
    sql`INSERT INTO counters(name, value) VALUES (${name}, ${value}) ON CONFLICT(name) DO UPDATE SET value = excluded.value`,
  )

/** The organization that was saved last in this night; 0 for none. */
async function startNight({ env, db, bucket }: Omit<Scene, 'tables'>, night: string, now: Date) {
  const number = Number(night.replaceAll('-', ''))
  const found = await db
    .select()
    .from(counters)
    .where(inArray(counters.name, ['backup_night', 'backup_org']))
  const known = new Map(found.map(({ name, value }) => [name, value]))
  if (known.get('backup_night') === number) return known.get('backup_org') ?? 0
  await forgetRemoved(bucket, db, now)
  await saveLeft({ env, db, bucket }, now)
  await saveCursors({ env, db, bucket }, now)
  await setCounter(db, 'backup_org', 0)
  await setCounter(db, 'backup_night', number)
  return 0
}

/** No backup holds rows that somebody removed for good, either. */
async function forgetRemoved(bucket: R2Bucket, db: Db, now: Date) {
  const removed = await db
    .select({ org_id: sql<number>`json_extract(${auditLog.detail}, '$.org_id')` })
    .from(auditLog)
    .where(sql`${gte(auditLog.at, stamp(plusSeconds(now, -7 * 86_400)))} AND ${auditLog.action} = 'org.remove'`)
  for (const { org_id } of removed) await forgetOrg(bucket, org_id)
}

type Scene = { env: Env; db: Db; bucket: R2Bucket; tables: KeptTable[] }

async function backUpOrg({ env, db, bucket, tables }: Scene, org_id: number, now: Date) {
  const at = stamp(now)
  const night = at.slice(0, 10)
  // Half of an organization is no backup, and one that came from a lost database keeps what was saved there.
  for (const key of [comingKey(org_id), indexKey(org_id, night)]) if (await bucket.head(key)) return
  const [mark] = await db.all<{ planned_to: number }>(sql`
    SELECT coalesce((SELECT planned_to FROM alert_waits WHERE org_id = ${org_id}),
      (SELECT value FROM counters WHERE name = 'alerts_planned_to'), 0) AS planned_to`)
  let pages = 0
  let open: SavedPage['parts'] = []
  let bytes = 0
  const close = async () => {
    if (open.length) await putSealed(env, bucket, pageKey(org_id, night, pages++), { at, parts: open })
    open = []
    bytes = 0
  }
  const add = async (table: string, rows: Row[], size: number) => {
    if (bytes + size > pageBytes) await close()
    open.push({ table, rows })
    bytes += size
  }
  const named = new Map(namedKinds.map((kind) => [kind, new Set<unknown>()]))
  // Parents last: every parent of a row is in the backup as well.
  for (const table of tables.toReversed())
    for await (const { rows, size } of readPages(db, table, isOwn(table, org_id))) {
      await add(table.name, rows, size)
      noteNamed(named, table, rows)
    }
  for (const [kind, ids] of named)
    for await (const rows of readNames(db, kind, [...ids])) await add(namesPart, rows, JSON.stringify(rows).length)
  await close()
  const database = await nameDatabase(env, db)
  const index = { at, org_id, pages, planned_to: mark?.planned_to ?? 0, database, ...(await findNumbers(db)) }
  await putSealed(env, bucket, indexKey(org_id, night), index)
  const before = stamp(plusSeconds(now, -keptNights * 86_400)).slice(0, 10)
  for (const old of await listNights(bucket, org_id))
    if (old < before) await removeFolder(bucket, nightFolder(org_id, old))
}

/** Numbers that its rows hold are others elsewhere: their names find them there. */
function noteNamed(named: Map<NamedKind, Set<unknown>>, { name: table, columns }: KeptTable, rows: Row[]) {
  for (const row of rows) {
    for (const { name } of columns) {
      const kind = findNamedKind(table, name, row)
      if (kind) named.get(kind)?.add(row[name])
    }
    if (table !== 'saved_views') continue
    const params = new URLSearchParams(String(row['query']))
    for (const [param, kind] of Object.entries(namedParams)) named.get(kind)?.add(params.get(param))
  }
}

async function* readNames(db: Db, kind: NamedKind, ids: unknown[]) {
  for (let at = 0; at < ids.length; at += pageRows) {
    const some = JSON.stringify(ids.slice(at, at + pageRows))
    const found = sql`SELECT ${kind} AS kind, n.* FROM (${sql.raw(namesByKind[kind])}) n`
    yield await db.all<Row>(sql`${found} WHERE n.id IN (SELECT value FROM json_each(${some}))`)
  }
}

async function findNumbers(db: Db) {
  const given = sql`SELECT name, seq FROM sqlite_sequence WHERE name IN (SELECT value FROM json_each(${JSON.stringify([...keptNumbers, 'vuln_changes'])}))`
  const rows = await db.all<{ name: string; seq: number }>(sql`
    ${given} UNION ALL SELECT 'orgs', max(coalesce((SELECT value FROM counters WHERE name = 'last_org_id'), 0), (SELECT max(id) FROM orgs))`)
  const [key] = await db.select({ sealed: dataKeys.sealed }).from(dataKeys).where(eq(dataKeys.name, 'audit'))
  return { numbers: Object.fromEntries(rows.map(({ name, seq }) => [name, seq])), audit_key: key?.sealed ?? null }
}

const names = (list: string[]) =>
  sql.join(
    list.map((name) => sql.identifier(name)),
    sql`, `,
  )

/** As many rows at once as a page holds, or one. */
async function* readPages(db: Db, { name, columns, key }: KeptTable, isTheirs: SQL) {
  const values = sql.join(
    columns.map(({ name: column, isBlob }) =>
      isBlob ? sql`hex(${sql.identifier(column)}) AS ${sql.identifier(column)}` : sql.identifier(column),
    ),
    sql`, `,
  )
  const length = sql.join(
    columns.map(({ name: column }) => sql`coalesce(octet_length(${sql.identifier(column)}), 0)`),
    sql` + `,
  )
  for (let after: SQL | undefined; ;) {
    const from = after ? sql`AND (${names(key)}) > (${after})` : sql``
    const found = await db.all<Row & { page_bytes: number; page_left: number }>(sql`
      SELECT * FROM (SELECT ${values}, sum(${length}) OVER rising AS page_bytes, row_number() OVER rising AS page_row, count(*) OVER () AS page_left
        FROM (SELECT * FROM ${sql.identifier(name)} WHERE ${isTheirs} ${from} ORDER BY ${names(key)} LIMIT ${pageRows})
        WINDOW rising AS (ORDER BY ${names(key)} ROWS UNBOUNDED PRECEDING))
      WHERE page_row = 1 OR page_bytes <= ${pageBytes}`)
    const last = found.at(-1)
    if (!last) return
    yield {
      rows: found.map(({ page_bytes: _, page_row: __, page_left: ___, ...row }): Row => row),
      size: last.page_bytes,
    }
    if (found.length === last.page_left && last.page_left < pageRows) return
    after = sql.join(
      key.map((column) => sql`${last[column]}`),
      sql`, `,
    )
  }
}
