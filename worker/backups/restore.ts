import { eq, sql, type SQL } from 'drizzle-orm'
import { audited } from '../auth/audit'
import { getActorName, type By } from '../auth/audited-by'
import { nameDatabase } from '../auth/data-keys'
import { requireProof } from '../auth/proof'
import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { stamp } from '../db/time'
import { watchedKinds } from '../domain/names/watch-item'
import type { Env } from '../env'
import { notFound, refused } from '../http/errors'
import { indexOwnVulns } from '../merge/remove-own'
import { privateOrg } from '../orgs/first-admin'
import { orgs } from '../schema/orgs'
import { rewatchItems } from '../watchlist/match-due'
import { isWatched } from '../watchlist/monitored'
import { judgeAnew, leaveRoom, rechain, settleAwaited } from './arrive'
import { findBehind } from './cursors'
import { findLeft, leaveOut } from './left-users'
import { moveRows, newMove, type Move } from './move'
import { comingKey, getSealed, indexKey, isForgotten, listFolders, listNights, movedKey, pageKey } from './store'
import type { Index, SavedPage, Row } from './store'
import { listKeptTables, type KeptTable } from './tables'

/** State, members and log of the organization stay as they are now: nobody comes back who left. */
const onlyOfLost = new Set(
  'users passkeys recovery_codes members orgs alert_feeds sso_providers sso_domains sso_identities audit_log audit_heads quotas'.split(
    ' ',
  ),
)

function requireBucket(env: Env) {
  if (!env.BACKUPS) throw refused(409, 'no_backups', 'This installation has no place for backups')
  return env.BACKUPS
}

/** Organizations of which there is a backup. */
export async function findSaved(env: Env) {
  const ids = env.BACKUPS ? await listFolders(env.BACKUPS, 'orgs/') : []
  return ids.map(Number).toSorted((a, b) => a - b)
}

/** Brings back what is missing of an organization, and changes nothing that is there. */
export async function restoreSaved(db: Db, { org_id, at }: { org_id: number; at: string }, by: By) {
  await requireProof(db, by.actor, by.now)
  const bucket = requireBucket(by.env)
  if ((await isForgotten(bucket, org_id)) || (await wasRemoved(db, org_id)))
    throw refused(409, 'removed', 'This organization was removed for good: it does not come back')
  const index = await findIndex(by.env, bucket, { org_id, at })
  const move = await startMove(db, bucket, index, by.env)
  const isLost = await startComing(db, bucket, org_id)
  const place = { env: by.env, db, bucket }
  const { restored, isActive } = await insertPages({ ...place, index, move, isLost })
  if (isLost && !(await db.select({ id: orgs.id }).from(orgs).where(eq(orgs.id, org_id)).get()))
    throw refused(409, 'taken', 'Another organization has its name in addresses by now')
  await settleAwaited(db, org_id, by.now)
  if (move) {
    await judgeAnew(db, org_id)
    if (isLost && index.audit_key) await rechain(by.env, move, index.audit_key)
  }
  const entry = { org_id, actor_id: by.actor.user_id, actor: await getActorName(db, by.actor), target: `${org_id}` }
  const end = [...(await watchAnew(db, org_id)), ...finish(db, { index, move, isLost, isActive, now: by.now })]
  await audited(db, end, { ...entry, action: 'org.recover', detail: { at: index.at, restored } }, by)
  if (isLost) await bucket.delete(comingKey(org_id))
  return {
    status: 'success' as const,
    at: index.at,
    restored,
    left_out: move?.left_out ?? 0,
    missing: [...(move?.missing ?? [])].slice(0, maxMissing),
    behind: move ? await findBehind(place, index.at.slice(0, 10)) : [],
  }
}

const maxMissing = 20

/** Into another database than that of the backup: undefined where it is the same one. */
async function startMove(db: Db, bucket: R2Bucket, index: Index, env: Env) {
  const { org_id, database, numbers } = index
  const here = await nameDatabase(env, db)
  if (database === undefined || database === here) return undefined
  if (!numbers)
    throw refused(
      409,
      'other_database',
      'The backup is of another database, and too old to hold the names of its numbers',
    )
  const found = await db.select({ slug: orgs.slug }).from(orgs).where(eq(orgs.id, org_id)).get()
  const isOurs = !found || found.slug === privateOrg.slug || (await bucket.head(movedKey(here, org_id))) !== null
  if (!isOurs) throw refused(409, 'taken', 'Another organization has its number in this database')
  await leaveRoom(db, numbers)
  await bucket.put(movedKey(here, org_id), '')
  return newMove(db, org_id)
}

type Coming = { env: Env; db: Db; bucket: R2Bucket; index: Index; move: Move | undefined; isLost: boolean }

async function insertPages({ env, db, bucket, index, move, isLost }: Coming) {
  const tables = new Map(listKeptTables().map((table) => [table.name, table]))
  const withoutLeft = leaveOut(await findLeft({ env, db, bucket }, index.database))
  let [restored, isActive] = [0, false]
  const insert = async (name: string, rows: Row[]) => {
    const table = tables.get(name)
    if (table && (isLost || !onlyOfLost.has(name))) restored += await insertMissing(db, table, rows)
  }
  // Earlier tables refer to later ones.
  for (let page = index.pages - 1; page >= 0; page--) {
    const found = await getSealed<SavedPage>(env, bucket, pageKey(index.org_id, index.at.slice(0, 10), page))
    if (found?.at !== index.at) throw refused(409, 'incomplete', 'The backup is not complete: name an earlier time')
    for (const { table: name, rows: saved } of found.parts.toReversed()) {
      const left = withoutLeft(name, saved)
      if (name === 'orgs') isActive = left[0]?.['is_active'] === 1
      // Nothing runs for it until all of it is there.
      const rows = name === 'orgs' ? left.map((row) => ({ ...row, is_active: 0 })) : left
      if (move) await moveRows(move, { table: tables.get(name), name, rows }, insert)
      else await insert(name, rows)
    }
  }
  return { restored, isActive }
}

/** Whether it was lost: also when all of it was to come back before, and did not. */
async function startComing(db: Db, bucket: R2Bucket, org_id: number) {
  const found = await db.select({ is_active: orgs.is_active }).from(orgs).where(eq(orgs.id, org_id)).get()
  if (!found) await bucket.put(comingKey(org_id), '')
  return !found || (!found.is_active && (await bucket.head(comingKey(org_id))) !== null)
}

async function wasRemoved(db: Db, org_id: number) {
  const found = await db.all(
    sql`SELECT 1 FROM audit_log WHERE action = 'org.remove' AND json_extract(detail, '$.org_id') = ${org_id} LIMIT 1`,
  )
  return found.length > 0
}

async function findIndex(env: Env, bucket: R2Bucket, { org_id, at }: { org_id: number; at: string }) {
  const nights = (await listNights(bucket, org_id)).filter((night) => night <= at.slice(0, 10))
  for (const night of nights.toSorted().toReversed()) {
    const index = await getSealed<Index>(env, bucket, indexKey(org_id, night))
    if (index && index.at <= at) return index
  }
  throw notFound('A backup of this organization from before that time')
}

/** A row whose parent is gone is left out; where it may do without, its reference is. */
async function insertMissing(db: Db, { name, columns }: KeptTable, rows: Row[]) {
  const known = columns.filter((column) => rows[0] && column.name in rows[0])
  const isThere = ({ name: column, parent }: (typeof columns)[number]) =>
    `EXISTS (SELECT 1 FROM "${parent}" p WHERE p.id = value ->> '$.${column}')`
  const value = (column: (typeof columns)[number]) => {
    const text = `value ->> '$.${column.name}'`
    if (column.isBlob) return `unhex(${text})`
    return column.parent && !column.isRequired ? `CASE WHEN ${isThere(column)} THEN ${text} END` : text
  }
  const parents = known.filter(({ parent, isRequired }) => parent && isRequired).map(isThere)
  const statements = bulk(
    db,
    `INSERT OR IGNORE INTO "${name}"(${known.map((column) => `"${column.name}"`).join(', ')})
     SELECT ${known.map(value).join(', ')} FROM jsonb_each(?1) WHERE ${['1', ...parents].join(' AND ')}`,
    rows,
  )
  const results = statements.length ? await db.$client.batch(statements) : []
  return results.reduce((sum, { meta }) => sum + meta.changes, 0)
}

/** Vulnerabilities linked to its items since the backup concern it as well, and those that nothing of it is linked to do not. */
async function watchAnew(db: Db, org_id: number) {
  const unwatched = rewatchItems(db, { org_id, kind: 'vuln', ids: await findUnwatched(db, org_id) })
  const found = await Promise.all(
    watchedKinds.map(async (kind) => {
      const item = sql.identifier(`${kind}_id`)
      const rows = await db.all<{ id: number }>(
        sql`SELECT ${item} AS id FROM ${sql.identifier(`monitored_${kind}s`)} WHERE org_id = ${org_id}`,
      )
      return rewatchItems(db, { org_id, kind, ids: rows.map(({ id }) => id) })
    }),
  )
  return [...unwatched, ...found.flat()]
}

const perLook = 5_000

/** A backup is read while its organization works, and a restore takes its time, too: an item that was taken off the list meanwhile may leave its rows. */
async function findUnwatched(db: Db, org_id: number) {
  const ids: number[] = []
  for (let after = 0; ;) {
    const rows = await db.all<{ id: number; is_watched: number }>(sql`
      SELECT o.vuln_id AS id, ${isWatched(sql`o.org_id`, sql`o.vuln_id`)} AS is_watched FROM org_vulns o
      WHERE o.org_id = ${org_id} AND o.vuln_id > ${after} ORDER BY o.vuln_id LIMIT ${perLook}`)
    for (const row of rows) if (!row.is_watched) ids.push(row.id)
    const last = rows.at(-1)
    if (!last) return ids
    after = last.id
  }
}

type End = Pick<Coming, 'index' | 'move' | 'isLost'> & { isActive: boolean; now: Date }

/** Changes that came since its backup are planned for it alone; alerts of the ledger are not told again. Another database has no changes of before. */
function finish(db: Db, { index: { org_id, planned_to }, move, isLost, isActive, now }: End) {
  const waits = sql`INSERT INTO alert_waits(org_id, planned_to, since) VALUES (${org_id}, ${planned_to}, ${stamp(now)}) ON CONFLICT DO NOTHING`
  const last: SQL[] = [
    ...(move ? [] : [waits]),
    sql`INSERT INTO counters(name, value) VALUES ('last_org_id', ${org_id})
      ON CONFLICT(name) DO UPDATE SET value = max(value, excluded.value)`,
    sql`UPDATE orgs SET is_active = ${Number(isActive)} WHERE id = ${org_id}`,
  ]
  return [indexOwnVulns(org_id), ...(isLost ? last : [])].map((query) => statement(db, query))
}
