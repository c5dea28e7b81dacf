import { readBulk } from '../db/bulk'
import type { Db } from '../db/open'
import { formatSourceKey, type Source, type VulnRecord } from '../domain/words/record'

/** `ref`: the record's id in a source that has several records of one vulnerability. */
export type Withdrawn = { cveid: string; ref?: string }

/** Records of advisories that got a CVE, or another one, and still stand under their former vulnerability. */
export async function findMoved(db: Db, source: Source, records: VulnRecord[]): Promise<Withdrawn[]> {
  const named = new Map<string, { ref: string; cveids: Set<string> }>()
  for (const { cveid, ref } of records) {
    if (ref === undefined) continue
    const key = formatSourceKey(source, ref)
    const known = named.get(key) ?? { ref, cveids: new Set() }
    named.set(key, known)
    known.cveids.add(cveid)
  }
  const found = await readBulk<{ source: string; cveid: string }>(
    db,
    `SELECT r.source, v.cveid FROM jsonb_each(?1) j JOIN vuln_records r ON r.source = j.value AND r.source NOT IN ('cve', 'nvd')
     JOIN vulns v ON v.id = r.vuln_id`,
    [...named.keys()],
  )
  return found.flatMap(({ source: key, cveid }) => {
    const now = named.get(key)
    return now && !now.cveids.has(cveid) ? [{ cveid, ref: now.ref }] : []
  })
}
