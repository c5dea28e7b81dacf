import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import type { Env } from '../env'
import { alertChannels } from '../schema/alerts'
import { users } from '../schema/auth'
import { dataKeys } from '../schema/keys'
import { ssoProviders } from '../schema/orgs'
import { currentKeyId, seal, unseal } from './keys'

const channelId = sql`${alertChannels.org_id} || ' ' || ${alertChannels.channel}`
const places = [
  { table: users, id: users.id, column: users.totp_secret, use: 'totp' },
  { table: ssoProviders, id: ssoProviders.org_id, column: ssoProviders.client_secret, use: 'sso' },
  { table: alertChannels, id: channelId, column: alertChannels.secrets, use: 'channel' },
  { table: dataKeys, id: dataKeys.name, column: dataKeys.sealed, use: 'data key' },
] as const
const batch = 100

/** Seals everything under the secret in force, so that the old one may go. Secrets that cannot be read stand in no other's way. */
export async function resealAll(env: Env, db: Db) {
  const unreadable: unknown[] = []
  const prefix = `${await currentKeyId(env)}.`
  for (const { table, id, column, use } of places) {
    const old = await db.all<{ key: number | string; sealed: string }>(sql`
      SELECT ${id} AS key, ${column} AS sealed FROM ${table}
      WHERE ${column} <> '' AND substr(${column}, 1, length(${prefix})) <> ${prefix} ORDER BY random() LIMIT ${batch}`)
    for (const { key, sealed } of old) {
      const anew = await unseal(env, use, sealed)
        .then((text) => seal(env, use, text))
        .catch((error: unknown) => void unreadable.push(error))
      if (anew === undefined) continue
      // Unless it was changed meanwhile.
      await db.run(sql`
        UPDATE ${table} SET ${sql.identifier(column.name)} = ${anew} WHERE ${id} = ${key} AND ${column} = ${sealed}`)
    }
  }
  if (unreadable.length) throw new Error(`${unreadable.length} secrets cannot be read`, { cause: unreadable[0] })
}
