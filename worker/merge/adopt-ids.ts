import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { isCveId } from '../domain/cve'
import type { VulnRecord } from '../domain/record'

/**
 * An advisory that came without a CVE stands here under its own id. When it names one that is not here yet, the
 * vulnerability takes that id and stays who it is: what people monitor, note or were told stays with it.
 */
export async function adoptIds(db: Db, hashes: { record: VulnRecord }[]) {
  const renamed = hashes.flatMap(({ record: { cveid, ref, aliases = [] } }) =>
    isCveId(cveid) ? [ref ?? '', ...aliases].filter((id) => id && !isCveId(id)).map((id) => [id, cveid]) : [],
  )
  if (!renamed.length) return
  await db.$client.batch(
    bulk(
      db,
      `update vulns set cveid = j.value->>1 from jsonb_each(?1) j
       where vulns.cveid = j.value->>0 and not exists (select 1 from vulns o where o.cveid = j.value->>1)
       and j.key = (select min(k.key) from jsonb_each(?1) k where k.value->>1 = j.value->>1 and exists (select 1 from vulns x where x.cveid = k.value->>0))`,
      renamed,
    ),
  )
}
