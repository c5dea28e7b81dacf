import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { deleteRows, statement } from '../../db/statement'
import { stamp } from '../../db/time'
import { recoveryCodes } from '../../schema/auth'
import { hashToken } from '../keys'

const codeCount = 10
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

export async function newRecoveryCodes(db: Db, user_id: number) {
  const codes = Array.from({ length: codeCount }, newCode)
  const hashes = await Promise.all(codes.map(hashCode))
  return {
    codes,
    statements: [
      removeRecoveryCodes(db, user_id),
      statement(db, db.insert(recoveryCodes).values(hashes.map((code_hash) => ({ user_id, code_hash })))),
    ],
  }
}

export const removeRecoveryCodes = (db: Db, user_id: number) =>
  deleteRows(db, recoveryCodes, eq(recoveryCodes.user_id, user_id))

export async function takeRecoveryCode(db: Db, { user_id, code }: { user_id: number; code: string }, now: Date) {
  const isUnused = and(eq(recoveryCodes.code_hash, await hashCode(code)), isNull(recoveryCodes.used_at))
  const isAsked = sql`EXISTS (SELECT 1 FROM users WHERE id = ${user_id} AND is_active AND mfa_enabled)`
  const taken = await db
    .update(recoveryCodes)
    .set({ used_at: stamp(now) })
    .where(and(eq(recoveryCodes.user_id, user_id), isUnused, isAsked))
    .returning({ user_id: recoveryCodes.user_id })
    .get()
  return taken !== undefined
}

function newCode() {
  const letters = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => alphabet[byte % alphabet.length])
  return [0, 4, 8, 12].map((at) => letters.slice(at, at + 4).join('')).join('-')
}

const hashCode = (code: string) => hashToken(code.toUpperCase().replace(/[^A-Z0-9]/g, ''))
