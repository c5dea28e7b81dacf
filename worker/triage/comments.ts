import { and, asc, desc, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { laterThan, stamp } from '../db/time'
import { users } from '../schema/auth'
import { Failure, forbidden, notFound } from '../http/errors'
import { comments } from '../schema/triage'
import { requireVuln } from '../watchlist/visible'
import type { Comment } from './contract'
import { personOf } from './person'

const maxComments = 500

/** Who acts, for which organization. */
export type Who = { org_id: number; user_id: number }

const columns = {
  id: comments.id,
  body: comments.body,
  user_id: comments.user_id,
  username: users.username,
  created_at: comments.created_at,
  updated_at: comments.updated_at,
}
type Row = {
  id: number
  body: string
  user_id: number | null
  username: string | null
  created_at: string
  updated_at: string | null
}

const shown = ({ user_id, username, ...row }: Row, who: Who): Comment => ({
  ...row,
  author: personOf({ user_id, username }),
  is_own: user_id === who.user_id,
})

export async function findComments(db: Db, who: Who, vuln_id: number): Promise<Comment[]> {
  await requireVuln(db, who.org_id, vuln_id)
  const rows = await db
    .select(columns)
    .from(comments)
    .leftJoin(users, eq(users.id, comments.user_id))
    .where(and(eq(comments.org_id, who.org_id), eq(comments.vuln_id, vuln_id)))
    .orderBy(asc(comments.id))
    .limit(maxComments)
  return rows.map((row) => shown(row, who))
}

/** The newest comment: what clients that know only a single text show. */
export async function findNewest(db: Db, { org_id }: Who, vuln_id: number) {
  await requireVuln(db, org_id, vuln_id)
  const [row] = await db
    .select({ id: comments.id, body: comments.body, user_id: comments.user_id })
    .from(comments)
    .where(and(eq(comments.org_id, org_id), eq(comments.vuln_id, vuln_id)))
    .orderBy(desc(comments.id))
    .limit(1)
  return row ?? null
}

export async function createComment(db: Db, who: Who, vuln_id: number, { body, now }: { body: string; now: Date }) {
  await requireVuln(db, who.org_id, vuln_id)
  const [row] = await db
    .insert(comments)
    .values({ ...who, vuln_id, body, created_at: stamp(now) })
    .returning({ id: comments.id })
  return getComment(db, who, row?.id ?? 0)
}

type Edit = { body: string; updated_at?: string | null | undefined; now: Date }

/** Changes an own comment; refuses when it was edited since it was read. */
export async function updateComment(db: Db, who: Who, id: number, { body, updated_at, now }: Edit) {
  const before = await requireOwn(db, who, id)
  const read = updated_at === undefined ? before.updated_at : updated_at
  const changed = await db
    .update(comments)
    .set({ body, updated_at: stamp(laterThan(before.updated_at, now)) })
    .where(and(eq(comments.org_id, who.org_id), eq(comments.id, id), sql`${comments.updated_at} is ${read}`))
    .returning({ id: comments.id })
  if (!changed.length) throw new Failure(409, 'conflict', 'The comment was changed meanwhile: read it again')
  return getComment(db, who, id)
}

export async function deleteComment(db: Db, who: Who, id: number) {
  await requireOwn(db, who, id)
  await db.delete(comments).where(and(eq(comments.org_id, who.org_id), eq(comments.id, id)))
}

/** The single text of older clients: the newest comment if it is one's own, else a new one; empty removes it. */
export async function setSingleComment(db: Db, who: Who, vuln_id: number, { body, now }: { body: string; now: Date }) {
  const newest = await findNewest(db, who, vuln_id)
  const own = newest?.user_id === who.user_id ? newest : null
  if (own && body) await updateComment(db, who, own.id, { body, now })
  else if (own) await deleteComment(db, who, own.id)
  else if (body) await createComment(db, who, vuln_id, { body, now })
  return (await findNewest(db, who, vuln_id))?.body ?? ''
}

async function getComment(db: Db, who: Who, id: number): Promise<Comment> {
  const [row] = await db
    .select(columns)
    .from(comments)
    .leftJoin(users, eq(users.id, comments.user_id))
    .where(and(eq(comments.org_id, who.org_id), eq(comments.id, id)))
  if (!row) throw notFound('Comment')
  return shown(row, who)
}

async function requireOwn(db: Db, who: Who, id: number) {
  const comment = await getComment(db, who, id)
  if (!comment.is_own) throw forbidden('Only its author may change a comment')
  return comment
}
