import { bulk, readBulk } from '../db/bulk'
import type { Db } from '../db/open'
import { isCveId } from '../domain/names/cve'
import { rankSource, type SourceKey, type VulnRecord } from '../domain/words/record'

type Renaming = { advisory: string; cveid: string; key: SourceKey; ref: string | undefined }

/** When an advisory gets a CVE that we do not have yet, its vulnerability takes that id and keeps what people monitored or noted. */
export async function adoptIds(db: Db, hashes: { key: SourceKey; record: VulnRecord }[]) {
  const named = hashes.flatMap(({ key, record: { cveid, ref, aliases = [] } }) =>
    isCveId(cveid)
      ? [ref ?? '', ...aliases]
          .filter((id) => id && !isCveId(id))
          .map((advisory): Renaming => ({ advisory, cveid, key, ref }))
      : [],
  )
  const renamings = await findRenamings(db, named)
  if (!renamings.length) return
  await db.$client.batch(
    bulk(
      db,
      `UPDATE vulns SET cveid = j.value->>1 FROM jsonb_each(?1) j
       WHERE vulns.cveid = j.value->>0 AND NOT EXISTS (SELECT 1 FROM vulns o WHERE o.cveid = j.value->>1)`,
      renamings.map(({ advisory, cveid }) => [advisory, cveid]),
    ),
  )
}

/** For each CVE that we lack, the first of its advisories that we have. */
async function findRenamings(db: Db, named: Renaming[]) {
  const ids = new Set(named.flatMap(({ advisory, cveid }) => [advisory, cveid]))
  const selectHere = 'SELECT v.cveid FROM jsonb_each(?1) j JOIN vulns v ON v.cveid = j.value'
  const here = new Set((await readBulk<{ cveid: string }>(db, selectHere, [...ids])).map(({ cveid }) => cveid))
  const possible = named.filter(({ advisory, cveid }) => here.has(advisory) && !here.has(cveid))
  const keys = await findKeys(db, possible)
  const renamings: Renaming[] = []
  for (const renaming of possible) {
    if (!mayRename(renaming, keys.get(renaming.advisory)?.map(({ source }) => source) ?? [])) continue
    if (here.has(renaming.cveid) || !here.delete(renaming.advisory)) continue
    here.add(renaming.cveid)
    renamings.push(renaming)
  }
  return renamings
}

/** The records under each advisory. */
async function findKeys(db: Db, named: Renaming[]) {
  const found = await readBulk<{ cveid: string; source: SourceKey }>(
    db,
    `SELECT v.cveid, r.source FROM jsonb_each(?1) j JOIN vulns v ON v.cveid = j.value JOIN vuln_records r ON r.vuln_id = v.id`,
    [...new Set(named.map(({ advisory }) => advisory))],
  )
  return Map.groupBy(found, ({ cveid }) => cveid)
}

/** An advisory's own record renames it, or one that stands there already and beside which nobody more trusted does: not any record that claims its id. */
const mayRename = ({ advisory, key, ref }: Renaming, keys: SourceKey[]) =>
  ref === advisory || (keys.includes(key) && keys.every((other) => rankSource(other) >= rankSource(key)))
