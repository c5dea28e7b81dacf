import { and, eq, gt, lt, lte, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { latest, plusSeconds, stamp } from '../db/time'
import { unauthenticated } from '../http/errors'
import { challenges } from '../schema/auth'
import { hashToken, newToken } from './keys'

type ChallengeKind = 'mfa' | 'totp' | 'passkey_create' | 'passkey_login' | 'passkey_proof' | 'sso'

const challengeSeconds = 300
/** Of a second factor that is set up. */
export const longestSeconds = 900
export const maxTries = 5

export async function newChallenge(
  db: Db,
  { kind, user_id, data }: { kind: ChallengeKind; user_id: number | null; data: unknown },
  now: Date,
) {
  const token = newToken()
  const statements = [
    statement(db, db.delete(challenges).where(lt(challenges.expires_at, stamp(now)))),
    statement(
      db,
      db.insert(challenges).values({
        id: await hashToken(token),
        kind,
        user_id,
        data: JSON.stringify(data),
        expires_at: stamp(plusSeconds(now, challengeSeconds)),
      }),
    ),
  ]
  return { token, statements }
}

const columns = { id: challenges.id, user_id: challenges.user_id, data: challenges.data, tries: challenges.tries }

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

export const removeChallenge = (db: Db, id: string) => statement(db, db.delete(challenges).where(eq(challenges.id, id)))

export const challengeGone = () => unauthenticated('This sign-in has expired: begin again', 'challenge_expired')
