import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import { unauthenticated } from '../http/errors'
import { hashToken, newToken } from './keys'

type ChallengeKind = 'mfa' | 'totp' | 'passkey_create' | 'passkey_login' | 'passkey_proof' | 'sso'
type Challenge = { id: string; user_id: number | null; data: string; tries: number }

const challengeSeconds = 300
export const maxTries = 5

export async function newChallenge(
  db: Db,
  { kind, user_id, data }: { kind: ChallengeKind; user_id: number | null; data: unknown },
  now: Date,
) {
  const token = newToken()
  const statements = [
    db.$client.prepare('DELETE FROM challenges WHERE expires_at < ?1').bind(stamp(now)),
    db.$client
      .prepare('INSERT INTO challenges(id, kind, user_id, data, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)')
      .bind(await hashToken(token), kind, user_id, JSON.stringify(data), stamp(plusSeconds(now, challengeSeconds))),
  ]
  return { token, statements }
}

export async function findChallenge(db: Db, kind: ChallengeKind, token: string, now: Date) {
  return db.$client
    .prepare(
      'SELECT id, user_id, data, tries FROM challenges WHERE id = ?1 AND kind = ?2 AND expires_at > ?3 AND tries < ?4',
    )
    .bind(await hashToken(token), kind, stamp(now), maxTries)
    .first<Challenge>()
}

/** Counts a try before it is checked, so that many at once get no more than five. */
export async function tryChallenge(db: Db, kind: ChallengeKind, token: string, now: Date) {
  return db.$client
    .prepare(
      `UPDATE challenges SET tries = tries + 1 WHERE id = ?1 AND kind = ?2 AND expires_at > ?3 AND tries < ?4
       RETURNING id, user_id, data, tries`,
    )
    .bind(await hashToken(token), kind, stamp(now), maxTries)
    .first<Challenge>()
}

export async function takeChallenge(db: Db, kind: ChallengeKind, token: string, now: Date) {
  return db.$client
    .prepare(
      'DELETE FROM challenges WHERE id = ?1 AND kind = ?2 AND expires_at > ?3 RETURNING id, user_id, data, tries',
    )
    .bind(await hashToken(token), kind, stamp(now))
    .first<Challenge>()
}

export const removeChallenge = (db: Db, id: string) =>
  db.$client.prepare('DELETE FROM challenges WHERE id = ?1').bind(id)

export const challengeGone = () => unauthenticated('This sign-in has expired: begin again', 'challenge_expired')
