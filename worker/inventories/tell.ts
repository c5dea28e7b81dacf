import { and, count, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { parsePurl } from '../domain/names/purl'
import { findingKey, type Finding } from '../exposure/judge'
import { inventoryFindings } from '../schema/inventories'
import { findLookAlikes } from '../watchlist/look-alikes'
import { maxListed, type PutAnswer } from './contract'
import type { Component } from './read/tidy'
import type { KnownFinding } from './save'

type Place = { org_id: number; inventory_id: number }
const ofComponents = ({ org_id, inventory_id }: Place, components: { id: number }[]) =>
  and(
    eq(inventoryFindings.org_id, org_id),
    eq(inventoryFindings.inventory_id, inventory_id),
    sql`${inventoryFindings.component_id} IN (SELECT value FROM json_each(${JSON.stringify(components.map(({ id }) => id))}))`,
  )
const findingColumns = {
  component_id: inventoryFindings.component_id,
  vuln_id: inventoryFindings.vuln_id,
  status: sql<Finding['status']>`${inventoryFindings.status}`,
  confidence: inventoryFindings.confidence,
  fixed_in: inventoryFindings.fixed_in,
}

type Gone = { count: number; first: KnownFinding[]; vuln_ids: number[] }

/** Findings that go with removed components: there may be hundreds of thousands, so no more than is told is read. */
export async function findGone(db: Db, place: Place, removed: { id: number }[]): Promise<Gone> {
  if (!removed.length) return { count: 0, first: [], vuln_ids: [] }
  const isGone = ofComponents(place, removed)
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
  const found = await db.select(findingColumns).from(inventoryFindings).where(ofComponents(place, renamed))
  return new Map(found.map((one) => [findingKey(one), one]))
}

export async function tellAlike(db: Db, org_id: number, added: Component[]) {
  const findAlike = await findLookAlikes(db, org_id)
  const alike = added.flatMap(({ name, version, purl: text }) => {
    const purl = text === null ? null : parsePurl(text)
    const [first] = purl ? findAlike(purl) : []
    return first ? [{ name, version, of: first.known.name, likeness: first.likeness }] : []
  })
  return { count: alike.length, first: alike.slice(0, maxListed) }
}

export const tellNames = (components: { name: string; version: string | null }[]) => ({
  count: components.length,
  first: components.slice(0, maxListed).map(({ name, version }) => ({ name, version })),
})

type Named = { id: number; name: string; version: string | null }
type Compared = {
  stored: Named[]
  removed: Named[]
  findings: Finding[]
  before: Map<string, KnownFinding>
  gone: Gone
}

export async function tellFindings(
  db: Db,
  { stored, removed, findings, before, gone: removedWith }: Compared,
): Promise<PutAnswer['findings']> {
  const after = new Set(findings.map(findingKey))
  const added = findings.filter((finding) => !before.has(findingKey(finding)))
  const closed = [...before].filter(([key]) => !after.has(key)).map(([, finding]) => finding)
  const gone = [...closed, ...removedWith.first]
  const shown = [...added.slice(0, maxListed), ...gone.slice(0, maxListed)]
  const ids = JSON.stringify([...new Set(shown.map(({ vuln_id }) => vuln_id))])
  const names = await db.all<{ id: number; cveid: string | null }>(sql`
    SELECT v.id, CASE WHEN v.org_id IS NULL THEN v.cveid END AS cveid
    FROM jsonb_each(${ids}) j JOIN vulns v ON v.id = j.value`)
  const cveids = new Map(names.map(({ id, cveid }) => [id, cveid]))
  const byId = new Map<number, { name: string; version: string | null }>(
    [...removed, ...stored].map((one) => [one.id, one]),
  )
  const tell = (list: KnownFinding[], length = list.length) => ({
    count: length,
    first: list.slice(0, maxListed).map(({ vuln_id, component_id, status, fixed_in }) => ({
      vuln_id,
      cveid: cveids.get(vuln_id) ?? null,
      component: byId.get(component_id)?.name ?? '',
      version: byId.get(component_id)?.version ?? null,
      status,
      fixed_in,
    })),
  })
  return { new: tell(added), gone: tell(gone, closed.length + removedWith.count) }
}
