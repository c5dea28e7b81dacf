import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { rewatch } from '../watchlist/rewatch'

/** Must follow the write of `updated_at` in the batch: the links copy it. */
export const touch = (db: Db, vuln_ids: number[]) => [...touchLinks(db, vuln_ids), ...rewatch(db, { vuln_ids })]

export const touchLinks = (db: Db, vuln_ids: number[]) =>
  ['vuln_products', 'vuln_packages'].flatMap((links) =>
    bulk(
      db,
      `UPDATE ${links} SET touched = t.at FROM (
         SELECT v.id, v.updated_at AS at FROM jsonb_each(?1) j JOIN vulns v ON v.id = j.value
       ) t WHERE ${links}.vuln_id = t.id AND ${links}.touched <> t.at`,
      vuln_ids,
    ),
  )
