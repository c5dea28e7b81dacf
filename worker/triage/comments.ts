import { and, asc, desc, eq, sql, type SQL } from 'drizzle-orm'
import { readyAuditBy, type By } from '../auth/audited-by'
import { beside } from '../db/beside'
import { isAborted, refuseBeyond } from '../db/guard'
import type { Db } from '../db/open'
import { statement, writeAndRead } from '../db/statement'
import { laterThan, stamp } from '../db/time'
import { users } from '../schema/auth'
import { Failure, forbidden, notFound, overQuota } from '../http/errors'
import { comments } from '../schema/triage'
import { requireVuln } from '../watchlist/visible'
import type { Comment } from './contract'
import { toPerson } from '../decisions/describe'

export const maxComments = 500
export const maxOrgComments = 10_000

export type Member = { org_id: number; user_id: number }

const columns = {
  id: comments.id,
  body: comments.body,
  user_id: comments.user_id,
  username: users.username,
  created_at: comments.created_at,
  updated_at: comments.updated_at,
}
type CommentRow = Omit<typeof comments.$inferSelect, 'org_id' | 'vuln_id'> & { username: string | null }

const toComment = ({ user_id, username, ...row }: CommentRow, member: Member): Comment => ({
  ...row,
  author: toPerson(user_id, username),
  is_own: user_id === member.user_id,
})

export async function findComments(db: Db, member: Member, vuln_id: number): Promise<Comment[]> {
  const [rows] = await Promise.all([
    db
      .select(columns)
      .from(comments)
      .leftJoin(users, eq(users.id, comments.user_id))
      .where(and(eq(comments.org_id, member.org_id), eq(comments.vuln_id, vuln_id)))
      .orderBy(asc(comments.id))
      .limit(maxComments),
    requireVuln(db, member.org_id, vuln_id),
  ])
  return rows.map((row) => toComment(row, member))
}

/** For clients that know only a single text. */
export async function findNewestComment(db: Db, { org_id }: Member, vuln_id: number) {
  const [, row] = await Promise.all([
    requireVuln(db, org_id, vuln_id),
    db
      .select({ id: comments.id, body: comments.body, user_id: comments.user_id })
      .from(comments)
      .where(and(eq(comments.org_id, org_id), eq(comments.vuln_id, vuln_id)))
      .orderBy(desc(comments.id))
      .limit(1)
      .get(),
  ])
  return row ?? null
}

export async function createComment(
  db: Db,
  member: Member,
  vuln_id: number,
  { body, now }: { body: string; now: Date },
) {
  await requireVuln(db, member.org_id, vuln_id)
  const insert = db.insert(comments).values({ ...member, vuln_id, body, created_at: stamp(now) })
  const written = sql`SELECT count(*) FROM comments WHERE org_id = ${member.org_id}`
  const statements = [
    insert,
    refuseBeyond(sql`${written} AND vuln_id = ${vuln_id}`, maxComments),
    refuseBeyond(written, maxOrgComments),
  ].map((one) => statement(db, one))
  const write = (reads: D1PreparedStatement[]) => db.$client.batch([...statements, ...reads]).catch(orTooMany)
  return writeAndRead(db, write, (after) => getComment(after, member, sql`last_insert_rowid()`))
}

function orTooMany(error: unknown): never {
  throw isAborted(error, 'quota') ? tooManyComments() : error
}

export const tooManyComments = () =>
  overQuota(
    `Your organization keeps ${maxComments} comments on a vulnerability, and ${maxOrgComments.toLocaleString('en-US')} in all: remove some first`,
  )

type Edit = { body: string; updated_at?: string | null | undefined; now: Date }

/** Refuses when the comment was edited since it was read. */
export async function updateComment(db: Db, member: Member, id: number, { body, updated_at, now }: Edit) {
  const before = await requireOwn(db, member, id)
  const read = updated_at === undefined ? before.updated_at : updated_at
  const update = db
    .update(comments)
    .set({ body, updated_at: stamp(laterThan(before.updated_at, now)) })
    .where(and(eq(comments.org_id, member.org_id), eq(comments.id, id), sql`${comments.updated_at} IS ${read}`))
    .returning({ id: comments.id })
  const write = async (reads: D1PreparedStatement[]) => {
    const answers = await db.$client.batch([statement(db, update), ...reads])
    if (!answers[0]?.results.length)
      throw new Failure(409, 'conflict', 'The comment was changed meanwhile: read it again')
    return answers
  }
  return writeAndRead(db, write, (after) => getComment(after, member, id))
}

type Place = { vuln_id: number; id: number }

export async function removeOwnComment(db: Db, { vuln_id, id }: Place, by: By) {
  const { org_id } = by.actor
  const [{ cveid }, [, write]] = await beside(
    requireVuln(db, org_id, vuln_id),
    Promise.all([requireOwn(db, by.actor, id), readyAuditBy(db, by)]),
  )
  const removing = statement(db, db.delete(comments).where(and(eq(comments.org_id, org_id), eq(comments.id, id))))
  await write([removing], { action: 'comment.remove', target: cveid ?? `PH-${vuln_id}` })
}

/** Older clients have a single text: it changes the newest comment if that is the member's own, else adds one; empty removes it. */
export async function setSingleComment(db: Db, vuln_id: number, body: string, by: By) {
  const { now } = by
  const member = { org_id: by.actor.org_id, user_id: by.actor.user_id }
  const newest = await findNewestComment(db, member, vuln_id)
  const own = newest?.user_id === member.user_id ? newest : null
  if (own && body) return (await updateComment(db, member, own.id, { body, now })).body
  if (body) return (await createComment(db, member, vuln_id, { body, now })).body
  if (own) await removeOwnComment(db, { vuln_id, id: own.id }, by)
  return (await findNewestComment(db, member, vuln_id))?.body ?? ''
}

async function getComment(db: Db, member: Member, id: number | SQL) {
  const [row] = await db
    .select(columns)
    .from(comments)
    .leftJoin(users, eq(users.id, comments.user_id))
    .where(and(eq(comments.org_id, member.org_id), eq(comments.id, id)))
  if (!row) throw notFound('Comment')
  return toComment(row, member)
}

async function requireOwn(db: Db, member: Member, id: number) {
  const comment = await getComment(db, member, id)
  if (!comment.is_own) throw forbidden('Only its author may change a comment')
  return comment
}
