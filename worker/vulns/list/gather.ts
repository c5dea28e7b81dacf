import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { findNarrowest, firstIds, isAmong, listParts } from './narrow'
import type { ListOrder } from './order'
import type { Request } from './request'
import type { Reading, Slice } from './slice'
import { findKeyed, sortIds } from './sort'
import { toConditions, ownRows } from './where'

type Gathering = { request: Request; order: ListOrder; limit: number }

/** Reads the narrowest part whole, and sorts what fits. Undefined if each part has more rows than `limit`. */
export async function gather(db: Db, { request, order, limit }: Gathering, slice: Slice): Promise<Reading | undefined> {
  const narrowest = await findNarrowest(db, listParts(request), limit)
  if (!narrowest) return undefined
  const { part } = narrowest
  const found = sql`(${firstIds(part, -1)}) c CROSS JOIN vulns
    WHERE vulns.id = c.id AND ${toConditions(request, 'shared', isAmong(part.answers))}`
  const ids = sortIds((await findKeyed(db, [ownRows(request), found], order.keys)).flat(), order.keys)
  return { ids: ids.slice(slice.offset, slice.offset + slice.limit), total: ids.length }
}
