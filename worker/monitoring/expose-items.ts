import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { notFound } from '../http/errors'
import { setExposure } from '../watchlist/set-exposure'
import type { Exposed } from '../watchlist/set-exposure'
import { findVisible } from '../watchlist/set-monitored'

/** Of what the organization may see, whether or not it monitors it: a product of a monitored vendor has no row of its own. */
export async function exposeItems(db: Db, org_id: number, exposed: Exposed, publicly_exposed: boolean | null) {
  if (exposed.kind === 'group') await requireGroup(db, org_id, exposed.label)
  else if (exposed.kind !== 'inventory') {
    const ids = [...new Set(exposed.ids)]
    if ((await findVisible(db, org_id, exposed.kind, ids)).length < ids.length) throw notFound('Item')
  }
  await setExposure(db, org_id, exposed, publicly_exposed)
}

async function requireGroup(db: Db, org_id: number, label: string) {
  const found = await db.all(
    sql`SELECT 1 FROM watch_groups g WHERE g.org_id = ${org_id} AND g.label = ${label} LIMIT 1`,
  )
  if (!found.length) throw notFound('Group')
}
