import { and, asc, eq, or, sql, type SQL } from 'drizzle-orm'
import { readyAuditBy, type By } from '../auth/audited-by'
import { users } from '../schema/auth'
import { isAborted, isTaken, refuseBeyond } from '../db/guard'
import type { Db } from '../db/open'
import { statement, writeAndRead } from '../db/statement'
import { stamp } from '../db/time'
import { policies } from '../domain/people/access'
import { Failure, forbidden, invalid, notFound } from '../http/errors'
import { parseSavedQuery, queryOfFilters } from '../vulns/query'
import { alertFeeds } from '../schema/alerts'
import { savedViews } from '../schema/views'
import { maxViews, type ViewRow } from './contract'

type Owner = { org_id: number; user_id: number }
type Change = { name?: string | undefined; query?: string | undefined; is_shared?: boolean | undefined }

export async function findViews(db: Db, { org_id, user_id }: Owner): Promise<ViewRow[]> {
  const mayRead = or(eq(savedViews.user_id, user_id), eq(savedViews.is_shared, true))
  return selectViews(db, user_id)
    .where(and(eq(savedViews.org_id, org_id), mayRead))
    .orderBy(asc(savedViews.name), asc(savedViews.id))
}

export async function createSavedView(db: Db, owner: Owner, view: Required<Change>, now: Date) {
  const { name = '', query = '', is_shared = false } = view
  requireReadable(query)
  if (await isNameTaken(db, owner, name)) throw nameTaken()
  const at = stamp(now)
  const insert = db
    .insert(savedViews)
    .values({ ...owner, name, query, is_shared, created_at: at, updated_at: at })
    .onConflictDoNothing()
    .returning({ id: savedViews.id })
  const viewsOfUser = sql`SELECT count(*) FROM saved_views WHERE org_id = ${owner.org_id} AND user_id = ${owner.user_id}`
  const statements = [insert.getSQL(), refuseBeyond(viewsOfUser, maxViews)].map((template) => statement(db, template))
  const write = async (reads: D1PreparedStatement[]) => {
    const answers = await db.$client.batch([...statements, ...reads]).catch(orTooMany)
    if (!answers[0]?.results.length) throw nameTaken()
    return answers
  }
  return writeAndRead(db, write, (after) => getView(after, owner, sql`last_insert_rowid()`))
}

function orTooMany(error: unknown): never {
  if (!isAborted(error, 'quota')) throw error
  throw new Failure(409, 'too_many', `You have ${maxViews} views: remove one first`)
}

/** A view that alerts go by is a setting of alerts, whoever owns it. */
export async function updateSavedView(db: Db, id: number, change: Change, by: By) {
  const { actor: owner, now } = by
  const { name, query, is_shared } = change
  const [before, isOfAlerts, isOfAnother, audit] = await Promise.all([
    getView(db, owner, id),
    query !== undefined && isAlertRule(db, owner.org_id, id),
    name !== undefined && isNameTaken(db, owner, name, id),
    readyAuditBy(db, by),
  ])
  if (query !== undefined) requireReadable(query)
  if (isOfAnother) throw nameTaken()
  const isRule = query !== undefined && query !== before.query && isOfAlerts
  if (isRule && !policies.manageAlerts(owner))
    throw forbidden('Alerts go by what this view shows: only users with the right to alert settings may change that')
  const update = db
    .update(savedViews)
    .set({
      ...(name !== undefined && { name }),
      ...(query !== undefined && { query }),
      ...(is_shared !== undefined && { is_shared }),
      updated_at: stamp(now),
    })
    .where(and(eq(savedViews.id, id), isOwned(owner)))
  const entry = { action: 'view.update' as const, target: before.name, detail: { before: before.query, query } }
  const write = (reads: D1PreparedStatement[]) => {
    const statements = [statement(db, update), ...reads]
    return isRule ? audit(statements, entry) : db.$client.batch(statements)
  }
  return writeAndRead(db, write, (after) => getView(after, owner, id)).catch((error: unknown) => {
    throw isTaken(error, 'saved_views') ? nameTaken() : error
  })
}

const isAlertRule = async (db: Db, org_id: number, id: number) =>
  (
    await db.all(sql`
      SELECT 1 FROM (SELECT views FROM alert_settings WHERE org_id = ${org_id} UNION ALL SELECT views FROM alert_channels WHERE org_id = ${org_id}) r
      CROSS JOIN json_each(r.views) v WHERE v.value = ${id} LIMIT 1`)
  ).length > 0

export async function removeSavedView(db: Db, id: number, by: By) {
  const [{ name, is_shared }, write] = await Promise.all([getView(db, by.actor, id), readyAuditBy(db, by)])
  // Its secret address ends with it.
  const removing = [
    statement(db, db.delete(alertFeeds).where(and(eq(alertFeeds.org_id, by.actor.org_id), eq(alertFeeds.view_id, id)))),
    statement(db, db.delete(savedViews).where(and(eq(savedViews.id, id), isOwned(by.actor)))),
  ]
  await write(removing, { action: 'view.remove', target: name, detail: { is_shared } })
}

async function getView(db: Db, owner: Owner, id: number | SQL): Promise<ViewRow> {
  const [view] = await selectViews(db, owner.user_id).where(and(eq(savedViews.id, id), isOwned(owner)))
  if (!view) throw notFound('View')
  return view
}

const selectViews = (db: Db, user_id: number) =>
  db
    .select({
      id: savedViews.id,
      name: savedViews.name,
      query: savedViews.query,
      is_shared: savedViews.is_shared,
      is_own: sql<boolean>`${savedViews.user_id} = ${user_id}`.mapWith(Boolean).as('is_own'),
      owner: users.username,
      updated_at: savedViews.updated_at,
    })
    .from(savedViews)
    .innerJoin(users, eq(users.id, savedViews.user_id))

const isOwned = ({ org_id, user_id }: Owner) => and(eq(savedViews.org_id, org_id), eq(savedViews.user_id, user_id))

/** A view that nobody could open is not saved. */
function requireReadable(query: string) {
  const read = parseSavedQuery(query)
  if (!read.success)
    throw invalid(read.error.issues.map(({ path, message }) => ({ path: ['query', ...path], message })))
  queryOfFilters(read.data)
}

async function isNameTaken(db: Db, owner: Owner, name: string, id = 0) {
  const [taken] = await db
    .select({ id: savedViews.id })
    .from(savedViews)
    .where(and(isOwned(owner), eq(savedViews.name, name)))
  return taken !== undefined && taken.id !== id
}

const nameTaken = () => new Failure(409, 'name_taken', 'You already have a view of this name')
