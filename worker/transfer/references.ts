import { readBulk } from '../db/bulk'
import type { Db } from '../db/open'
import { newPrivateName } from '../domain/names/cve'

const ownPrefix = 'own:'
export const formatOwn = (key: string) => `${ownPrefix}${key}`

/** Of a private name: the part that no other organization has. */
export const toOwnKey = (stored: string) => stored.replace(/^ORG-\d+-/, '')

/** A vulnerability as a file names it: by the id that is stored, and the organization's own by the key of its name. */
export const toReference = (stored: string | null) => (stored ?? '').replace(/^ORG-\d+-/, ownPrefix)

/** The numbers here of what a file names, as far as the organization sees it. */
export async function findReferences(db: Db, org_id: number, references: string[]) {
  const names = [...new Set(references)].map((reference) => [
    reference,
    reference.startsWith(ownPrefix) ? newPrivateName(org_id, reference.slice(ownPrefix.length)) : reference,
  ])
  const isSeen = '(v.org_id IS NULL OR v.org_id = ?2)'
  const found = await readBulk<{ reference: string; id: number }>(
    db,
    `SELECT j.value->>0 AS reference, v.id FROM jsonb_each(?1) j CROSS JOIN vuln_aliases a ON a.alias = j.value->>1
       CROSS JOIN vulns v ON v.id = a.vuln_id AND ${isSeen}
     UNION ALL
     SELECT j.value->>0, v.id FROM jsonb_each(?1) j CROSS JOIN vulns v ON v.cveid = j.value->>1 AND ${isSeen}`,
    names,
    org_id,
  )
  return new Map(found.map(({ reference, id }) => [reference, id]))
}
