import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { hashToken } from './keys'

const codeCount = 10
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

export async function newRecoveryCodes(db: Db, user_id: number) {
  const codes = Array.from({ length: codeCount }, newCode)
  const hashes = await Promise.all(codes.map(hashCode))
  return {
    codes,
    statements: [
      dropRecoveryCodes(db, user_id),
      db.$client
        .prepare('INSERT INTO recovery_codes(user_id, code_hash) SELECT ?1, value FROM json_each(?2)')
        .bind(user_id, JSON.stringify(hashes)),
    ],
  }
}

export const dropRecoveryCodes = (db: Db, user_id: number) =>
  db.$client.prepare('DELETE FROM recovery_codes WHERE user_id = ?1').bind(user_id)

export async function takeRecoveryCode(db: Db, { user_id, code }: { user_id: number; code: string }, now: Date) {
  const taken = await db.$client
    .prepare(
      `UPDATE recovery_codes SET used_at = ?3 WHERE user_id = ?1 AND code_hash = ?2 AND used_at IS NULL
       AND EXISTS (SELECT 1 FROM users WHERE id = ?1 AND is_active = 1 AND mfa_enabled = 1) RETURNING user_id`,
    )
    .bind(user_id, await hashCode(code), stamp(now))
    .first()
  return taken !== null
}

function newCode() {
  const letters = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => alphabet[byte % alphabet.length])
  return [0, 4, 8, 12].map((at) => letters.slice(at, at + 4).join('')).join('-')
}

const hashCode = (code: string) => hashToken(code.toUpperCase().replace(/[^A-Z0-9]/g, ''))
