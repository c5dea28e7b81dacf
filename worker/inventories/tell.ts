import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { parsePurl } from '../domain/names/purl'
import { findingKey } from '../exposure/judge'
import type { Finding } from '../exposure/judge'
import { findLookAlikes } from '../watchlist/look-alikes'
import type { PutAnswer } from './contract'
import { maxListed } from './contract'
import type { Gone } from './find-gone'
import type { Component } from './read/tidy'
import type { KnownFinding } from './save'

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
