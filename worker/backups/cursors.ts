import { sql } from 'drizzle-orm'
import { pick } from '../db/columns'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import type { Env } from '../env'
import { feeds } from '../schema/feeds'
import { getSealed, keptNights, putNightly, type SavedCursors } from './store'

type Place = { env: Env; db: Db; bucket: R2Bucket }

const prefix = 'cursors/'

/** How far the public sources were read. They are read anew into a new database, so that nobody puts a cursor back. */
export async function saveCursors({ env, db, bucket }: Place, now: Date) {
  const oldest = stamp(plusSeconds(now, -keptNights * 86_400))
  const read = await db.select(pick(feeds, 'id', 'cursor', 'newest_at', 'last_success')).from(feeds)
  await putNightly(env, bucket, { prefix, oldest }, { at: stamp(now), feeds: read })
}

/** Feeds that were read further in that night than they are here: rows about what they told may find no place yet. */
export async function findBehind({ env, db, bucket }: Place, night: string) {
  const saved = await getSealed<SavedCursors>(env, bucket, `${prefix}${night}`)
  const json = JSON.stringify(saved?.feeds ?? [])
  const found = await db.all<{ id: string }>(sql`
    SELECT j.value ->> 'id' AS id FROM json_each(${json}) j LEFT JOIN feeds f ON f.id = j.value ->> 'id'
    WHERE j.value ->> 'last_success' IS NOT NULL AND (f.last_success IS NULL OR f.newest_at < j.value ->> 'newest_at') ORDER BY 1`)
  return found.map(({ id }) => id)
}
