import type { Db } from '../db/open'
import type { Env } from '../env'
import { currentKeyId, seal, unseal } from './keys'

const places = [
  { table: 'users', id: 'id', column: 'totp_secret', use: 'totp' },
  { table: 'sso_providers', id: 'org_id', column: 'client_secret', use: 'sso' },
  { table: 'alert_channels', id: "org_id || ' ' || channel", column: 'secrets', use: 'channel' },
  { table: 'data_keys', id: 'name', column: 'sealed', use: 'data key' },
] as const
const batch = 100

/** Seals everything under the secret in force, so that the old one may go. */
export async function resealAll(env: Env, db: Db) {
  const kid = await currentKeyId(env)
  for (const { table, id, column, use } of places) {
    const { results } = await db.$client
      .prepare(
        `SELECT ${id} AS id, ${column} AS sealed FROM ${table}
         WHERE ${column} <> '' AND substr(${column}, 1, length(?1)) <> ?1 LIMIT ${batch}`,
      )
      .bind(`${kid}.`)
      .all<{ id: number | string; sealed: string }>()
    for (const { id: key, sealed } of results) {
      const anew = await seal(env, use, await unseal(env, use, sealed))
      // Unless it was changed meanwhile.
      await db.$client
        .prepare(`UPDATE ${table} SET ${column} = ?2 WHERE ${id} = ?1 AND ${column} = ?3`)
        .bind(key, anew, sealed)
        .run()
    }
  }
}
