import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { isCveId } from '../domain/names/cve'
import type { VulnRecord } from '../domain/words/record'

type Renaming = [advisory: string, cveid: string]

/** When an advisory gets a CVE that we do not have yet, its vulnerability takes that id and keeps what people monitored or noted. */
export async function adoptIds(db: Db, hashes: { record: VulnRecord }[]) {
  const named = hashes.flatMap(({ record: { cveid, ref, aliases = [] } }) =>
    isCveId(cveid) ? [ref ?? '', ...aliases].filter((id) => id && !isCveId(id)).map((id): Renaming => [id, cveid]) : [],
  )
  const renamings = await findRenamings(db, named)
  if (!renamings.length) return
  await db.$client.batch(
    bulk(
      db,
      `UPDATE vulns SET cveid = j.value->>1 FROM jsonb_each(?1) j
       WHERE vulns.cveid = j.value->>0 AND NOT EXISTS (SELECT 1 FROM vulns o WHERE o.cveid = j.value->>1)`,
      renamings,
    ),
  )
}

/** For each CVE that we lack, the first of its advisories that we have. */
async function findRenamings(db: Db, named: Renaming[]) {
  if (!named.length) return []
  const answers = await db.$client.batch<{ cveid: string }>(
    bulk(db, 'SELECT v.cveid FROM jsonb_each(?1) j JOIN vulns v ON v.cveid = j.value', [...new Set(named.flat())]),
  )
  const here = new Set(answers.flatMap(({ results }) => results.map(({ cveid }) => cveid)))
  const renamings: Renaming[] = []
  for (const [advisory, cveid] of named) {
    if (here.has(cveid) || !here.delete(advisory)) continue
    here.add(cveid)
    renamings.push([advisory, cveid])
  }
  return renamings
}
