import { and, eq, gt, lt, lte, sql } from 'drizzle-orm'
import { pick } from '../db/columns'
import type { Db } from '../db/open'
import { deleteRows, statement } from '../db/statement'
import { latest, plusSeconds, stamp } from '../db/time'
import { unauthenticated } from '../http/errors'
import { challenges } from '../schema/auth'
import { hashToken, newToken } from './keys'

type ChallengeKind = (typeof challenges.$inferSelect)['kind']

const challengeSeconds = 300
/** Of a second factor that is set up. */
export const longestSeconds = 900
export const maxTries = 5

type Begun = { kind: ChallengeKind; user_id: number | null; data: unknown; seconds?: number }

export async function newChallenge(db: Db, { data, seconds = challengeSeconds, ...begun }: Begun, now: Date) {
  const token = newToken()
  const made = {
    ...begun,
    id: await hashToken(token),
    data: typeof data === 'string' ? data : JSON.stringify(data),
    expires_at: stamp(plusSeconds(now, seconds)),
  }
  const statements = [
    deleteRows(db, challenges, lt(challenges.expires_at, stamp(now))),
    statement(db, db.insert(challenges).values(made)),
  ]
  return { token, statements }
}

const columns = pick(challenges, 'id', 'user_id', 'data', 'tries')

const isOpen = async (kind: ChallengeKind, token: string, now: Date) =>
  and(eq(challenges.id, await hashToken(token)), eq(challenges.kind, kind), isInTime(now))

/** One that ends later than any may was begun while the clock was ahead. */
export const isInTime = (now: Date) =>
  and(gt(challenges.expires_at, stamp(now)), lte(challenges.expires_at, latest(plusSeconds(now, longestSeconds))))

export async function findChallenge(db: Db, kind: ChallengeKind, token: string, now: Date) {
  return db
    .select(columns)
    .from(challenges)
    .where(and(await isOpen(kind, token, now), lt(challenges.tries, maxTries)))
    .get()
}

/** Counts a try before it is checked, so that many at once get no more than five. */
export async function tryChallenge(db: Db, kind: ChallengeKind, token: string, now: Date) {
  return db
    .update(challenges)
    .set({ tries: sql`${challenges.tries} + 1` })
    .where(and(await isOpen(kind, token, now), lt(challenges.tries, maxTries)))
    .returning(columns)
    .get()
}

export async function takeChallenge(db: Db, kind: ChallengeKind, token: string, now: Date) {
  return db
    .delete(challenges)
    .where(await isOpen(kind, token, now))
    .returning(columns)
    .get()
}

export const removeChallenge = (db: Db, id: string) => deleteRows(db, challenges, eq(challenges.id, id))

export const challengeGone = () => unauthenticated('This sign-in has expired: begin again', 'challenge_expired')
