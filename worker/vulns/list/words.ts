import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Comparison, Query } from '../../domain/query/ast'
import { ftsPhrase } from '../../domain/query/words'
import { columnOfVuln, isText } from './conditions'
import type { Context } from './filters'

/** A query of the full-text index; the index has no signs, so the text that it finds is asked, too. */
export type Words = { match: string; says: SQL }

export const idsWith = (match: string) => sql`SELECT rowid AS id FROM vulns_fts WHERE vulns_fts MATCH ${match}`
const ownIdsWith = (org_id: number, match: string) =>
  sql`SELECT rowid AS id FROM own_vulns_fts WHERE own_vulns_fts MATCH ${`owner : "org${org_id}" AND {cveid summary keywords} : (${match})`}`

/** Whether the full-text index finds the row of `vulns`. */
export const foundIn = ({ isOwn, org_id }: Pick<Context, 'isOwn' | 'org_id'>, match: string) =>
  sql`vulns.id IN (${isOwn ? ownIdsWith(org_id, match) : idsWith(match)})`

export const matchOfText = ({ text }: Query & { kind: 'text' }) => ftsPhrase(text) ?? '""'

/** What the full-text index is asked for a part of a column; undefined where it has no word, or a CVE id begins so. */
export function findWords(comparison: Comparison): Words | undefined {
  if (findPrefix(comparison)) return undefined
  const { field, op, value } = comparison
  // All CVE ids have the same first word.
  const text = field === 'cveid' ? String(value).replace(/^cve-?/i, '') : String(value)
  const phrase = ftsPhrase(text)
  if (!phrase) return undefined
  return { match: `${field} : ${phrase}${op === 'eq' ? '' : ' *'}`, says: textSays(comparison) }
}

export function textSays(comparison: Comparison) {
  const begun = findPrefix(comparison)
  return begun ? cveBegins(`CVE-${begun}`) : isText(columnOfVuln(comparison.field), comparison)
}

// Most of a CVE id is its beginning, which the index of the ids finds.
function findPrefix({ field, op, value }: Comparison) {
  const text = String(value)
  const begun = field === 'cveid' && op !== 'eq' ? /^(?:CVE-)?(\d{4}-\d+)$/i.exec(text)?.[1] : undefined
  return begun && (op === 'like' || !text.startsWith('cve')) ? begun : undefined
}

const cveBegins = (id: string): SQL => sql`(vulns.cveid >= ${id} AND vulns.cveid < ${`${id}:`})`
