import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { isCveId } from '../domain/cve'
import type { VulnRecord } from '../domain/record'

/**
 * An advisory that came without a CVE stands here under its own id. When it names one that is not here yet, the
 * vulnerability takes that id and stays who it is: what people monitor, note or were told stays with it.
 */
export async function adoptIds(db: Db, given: { record: VulnRecord }[]) {
  const renamed = given.flatMap(({ record: { cveid, ref, aliases = [] } }) =>
    isCveId(cveid) ? [ref ?? '', ...aliases].filter((id) => id && !isCveId(id)).map((id) => [id, cveid]) : [],
  )
  if (!renamed.length) return
  await db.$client.batch(
    bulk(
      db,
      `UPDATE vulns SET cveid = j.value->>1 FROM jsonb_each(?1) j
       WHERE vulns.cveid = j.value->>0 AND NOT EXISTS (SELECT 1 FROM vulns o WHERE o.cveid = j.value->>1)
       AND j.key = (SELECT min(k.key) FROM jsonb_each(?1) k WHERE k.value->>1 = j.value->>1 AND EXISTS (SELECT 1 FROM vulns x WHERE x.cveid = k.value->>0))`,
      renamed,
    ),
  )
}
