import { and, count, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { findingKey } from '../exposure/judge'
import type { Finding } from '../exposure/judge'
import { inventoryFindings } from '../schema/inventories'
import { maxListed } from './contract'
import type { KnownFinding } from './save'

type Place = { org_id: number; inventory_id: number }
const ofComponents = ({ org_id, inventory_id }: Place, ids: number[]) =>
  and(
    eq(inventoryFindings.org_id, org_id),
    eq(inventoryFindings.inventory_id, inventory_id),
    sql`${inventoryFindings.component_id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
  )
const findingColumns = {
  component_id: inventoryFindings.component_id,
  vuln_id: inventoryFindings.vuln_id,
  status: sql<Finding['status']>`${inventoryFindings.status}`,
  confidence: inventoryFindings.confidence,
  fixed_in: inventoryFindings.fixed_in,
}

export type Gone = { count: number; first: KnownFinding[]; vuln_ids: number[] }

/** Findings that go with removed components: there may be hundreds of thousands, so no more than is told is read. */
export async function findGone(db: Db, place: Place, removed: { id: number }[]): Promise<Gone> {
  if (!removed.length) return { count: 0, first: [], vuln_ids: [] }
  const isGone = ofComponents(
    place,
    removed.map(({ id }) => id),
  )
  const [[counted], first, vulns] = await db.batch([
    db.select({ found: count() }).from(inventoryFindings).where(isGone),
    db.select(findingColumns).from(inventoryFindings).where(isGone).limit(maxListed),
    db.selectDistinct({ vuln_id: inventoryFindings.vuln_id }).from(inventoryFindings).where(isGone),
  ])
  return { count: counted?.found ?? 0, first, vuln_ids: vulns.map(({ vuln_id }) => vuln_id) }
}

/** Of components that name themselves otherwise than before. */
export async function findStale(db: Db, place: Place, renamed: { id: number }[]) {
  if (!renamed.length) return new Map<string, KnownFinding>()
  const isStale = ofComponents(
    place,
    renamed.map(({ id }) => id),
  )
  const found = await db.select(findingColumns).from(inventoryFindings).where(isStale)
  return new Map(found.map((one) => [findingKey(one), one]))
}
