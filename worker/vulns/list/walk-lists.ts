import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { countRows } from './count'
import { isAmong, listsOfRequest } from './narrow'
import type { Request } from './request'
import { keyOfVuln, mergeLists } from './sorted-lists'
import { toConditions } from './where'
import { findWindow } from './window'
import type { Way } from './window'

/** Merges sorted lists, and tests each row of a window if there are other terms. Undefined if no filter has such lists. */
export function walkLists(db: Db, request: Request): Way | undefined {
  const found = listsOfRequest(request)
  if (!found) return undefined
  const { answers, lists } = found
  const keys = [{ by: keyOfVuln, isDescending: true }]
  const place = (offset: number) =>
    sql`(SELECT vuln_id FROM ${mergeLists(lists)} LIMIT 1 OFFSET ${offset}) l CROSS JOIN vulns WHERE vulns.id = l.vuln_id`
  return {
    answers,
    read(slice) {
      const { window, after, offset, limit } = slice
      const rows = sql`SELECT vuln_id, key FROM ${mergeLists(lists)} LIMIT ${window} OFFSET ${after}`
      // A vulnerability of several lists comes several times in a row.
      const fitting = sql`(SELECT DISTINCT vuln_id FROM (${rows})) l CROSS JOIN vulns
        WHERE vulns.id = l.vuln_id AND ${toConditions(request, 'shared', isAmong(answers))} LIMIT ${offset + limit}`
      const isAll = async () => (await countRows(db, rows)) < window
      return findWindow(db, request, { found: fitting, keys, isAll, place }, slice)
    },
  }
}
