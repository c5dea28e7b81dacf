import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { rewatch } from '../watchlist/rewatch'

/** Statements that tell all that lists these vulnerabilities when they were last touched, after `updated_at` was written. */
export const touch = (db: Db, vuln_ids: number[]) => [...touchLinks(db, vuln_ids), ...rewatch(db, { vuln_ids })]

export const touchLinks = (db: Db, vuln_ids: number[]) =>
  ['vuln_products', 'vuln_packages'].flatMap((links) =>
    bulk(
      db,
      `update ${links} set touched = t.at from (
         select v.id, v.updated_at as at from jsonb_each(?1) j join vulns v on v.id = j.value
       ) t where ${links}.vuln_id = t.id and ${links}.touched <> t.at`,
      vuln_ids,
    ),
  )
