import { lt } from 'drizzle-orm'
import { nameDatabase } from '../auth/data-keys'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import type { Env } from '../env'
import { leftUsers } from '../schema/auth'
import { getSealed, keptNights, listStored, putNightly, type LeftUsers, type Row } from './store'

type Place = { env: Env; db: Db; bucket: R2Bucket }

const prefix = 'left/'

/** Once a night, beside the backups: a deleted account stays away even when the whole database was lost. */
export async function saveLeft({ env, db, bucket }: Place, now: Date) {
  const at = stamp(now)
  const oldest = stamp(plusSeconds(now, -(keptNights + 1) * 86_400))
  await db.delete(leftUsers).where(lt(leftUsers.left_at, oldest))
  const left = await db.select({ id: leftUsers.id }).from(leftUsers)
  const saved = { at, user_ids: left.map(({ id }) => id), database: await nameDatabase(env, db) }
  await putNightly(env, bucket, { prefix, oldest }, saved)
}

/** Of the database of a backup: numbers of another one mean others. */
export async function findLeft({ env, db, bucket }: Place, database: string | undefined) {
  const isHere = database === undefined || database === (await nameDatabase(env, db))
  const left = isHere ? await db.select({ id: leftUsers.id }).from(leftUsers) : []
  const ids = new Set(left.map(({ id }) => id))
  for (const key of await listStored(bucket, prefix)) {
    const saved = await getSealed<LeftUsers>(env, bucket, key)
    if (!saved || (saved.database && database && saved.database !== database)) continue
    for (const id of saved.user_ids) ids.add(id)
  }
  return ids
}

/** Without them and the addresses that were theirs. Their other rows have no parent, and are left out with it. */
export function leaveOut(left: Set<number>) {
  const addresses = new Set<unknown>()
  return (table: string, rows: Row[]) => {
    if (table === 'alert_addresses') return rows.filter(({ email }) => !addresses.has(email))
    if (table !== 'users') return rows
    const gone = rows.filter(({ id }) => left.has(Number(id)))
    for (const { email } of gone) addresses.add(String(email).toLowerCase())
    return gone.length ? rows.filter((row) => !gone.includes(row)) : rows
  }
}
