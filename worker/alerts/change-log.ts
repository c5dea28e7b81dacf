import { and, between, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { type VulnChange, describeChange } from '../domain/alerts/change'
import { alerts } from '../schema/alerts'
import { vulnChanges } from '../schema/vulns'
import { productLabel } from '../domain/names/product'
import { purlTypes } from '../domain/names/purl'
import { cisaKevName } from '../domain/words/kev-claim'

/** An alert tells of so many entries. */
const maxEntries = 100

/** The last entry before a moment; 0 for none. Searches by halves, because no index holds the times of the log. */
export async function findSeqBefore(db: Db, at: string) {
  const middle = sql`(lo + hi + 1) / 2`
  const isBefore = sql`(SELECT at FROM ${vulnChanges} WHERE seq >= ${middle} ORDER BY seq LIMIT 1) < ${at}`
  const [found] = await db.all<{ seq: number }>(sql`
    WITH RECURSIVE halves(lo, hi) AS (
      SELECT 0, coalesce((SELECT max(seq) FROM ${vulnChanges}), 0)
      UNION ALL SELECT iif(${isBefore}, ${middle}, lo), iif(${isBefore}, hi, ${middle} - 1) FROM halves WHERE lo < hi)
    SELECT lo AS seq FROM halves WHERE lo = hi`)
  return found?.seq ?? 0
}

/** Of an alert, as JSON: its first entries, each with its changes. */
export const alertDetails = sql<string>`(SELECT json_group_array(json(c.detail)) FROM (SELECT detail FROM ${vulnChanges}
  WHERE vuln_id = ${alerts.vuln_id} AND seq BETWEEN ${alerts.change_seq} AND ${alerts.last_seq} AND is_backfill = 0
  ORDER BY seq LIMIT ${sql.raw(String(maxEntries))}) c)`.as('details')

export const readLoggedChanges = (details: string) => (JSON.parse(details) as VulnChange[][]).flat()

export const isNews = eq(vulnChanges.is_backfill, false)
const logged = sql<VulnChange[]>`${vulnChanges.detail}`.mapWith((detail: string) => JSON.parse(detail) as VulnChange[])

type Run = { vuln_id: number; change_seq: number; last_seq: number }

export const selectLogged = (db: Db, { vuln_id, change_seq, last_seq }: Run) =>
  db
    .select({ at: vulnChanges.at, kind: vulnChanges.kind, changes: logged })
    .from(vulnChanges)
    .where(and(eq(vulnChanges.vuln_id, vuln_id), between(vulnChanges.seq, change_seq, last_seq), isNews))
    .limit(maxEntries)
    .$dynamic()

/** Changes, each event in one line, with the names that people read. */
export const changedLines = (changes: VulnChange[]) => [
  ...new Set(changes.filter(isToldAlone(changes)).map((change) => describeChange(withReadableNames(change)))),
]

/** That CISA lists it says that CISA calls it exploited, and the first claim that it is exploited in the wild. */
function isToldAlone(changes: VulnChange[]) {
  const isListed = changes.some((change) => change.field === 'kev_added_at' && change.to !== null)
  const isClaimed = isListed || changes.some((change) => change.field === 'exploited_by' && change.is_first)
  return (change: VulnChange) => {
    if (change.field === 'is_in_the_wild') return !(change.to && isClaimed)
    if (change.field !== 'exploited_by' || !isListed) return true
    const { added, removed, denied } = change
    return [...added, ...removed, ...denied].some((name) => name !== cisaKevName)
  }
}

function withReadableNames(change: VulnChange): VulnChange {
  switch (change.field) {
    case 'products':
    case 'packages':
    case 'fixes':
      return { ...change, added: change.added.map(readableItem) }
    case 'versions':
      return { ...change, products: change.products.map(readableItem) }
    default:
      return change
  }
}

/** `vendor:product 1.2` or `type:name 1.2`, as the change log has it; packages are written as their ecosystem does. */
function readableItem(text: string) {
  const [, owner = '', name = '', version = ''] = /^([^:]+):(\S+)(.*)$/.exec(text) ?? []
  if (!name) return text
  return `${purlTypes.has(owner) ? `${owner} · ${name}` : productLabel(owner, name)}${version}`
}
