import { and, isNotNull, sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { valuesTable } from '../../db/values'
import { sortClaims } from '../../domain/names/catalogues'
import type { MergedClaim } from '../../domain/words/merge'
import { exploitationClaims } from '../../schema/claims'
import type { VulnDetail } from './contract'

type Claim = VulnDetail['exploited_by'][number]

export const selectWithdrawn = (db: Db, vuln_ids: number[]) =>
  db
    .select({
      vuln_id: exploitationClaims.vuln_id,
      by: exploitationClaims.catalogue,
      name: exploitationClaims.name,
      exploited: exploitationClaims.exploited,
      reason: exploitationClaims.reason,
      added: exploitationClaims.added,
      withdrawn_at: exploitationClaims.withdrawn_at,
      notes: exploitationClaims.notes,
      link: exploitationClaims.link,
      evidence: exploitationClaims.evidence,
    })
    .from(exploitationClaims)
    .where(
      and(sql`${exploitationClaims.vuln_id} IN ${valuesTable(vuln_ids)}`, isNotNull(exploitationClaims.withdrawn_at)),
    )

export type WithdrawnClaim = Omit<Awaited<ReturnType<typeof selectWithdrawn>>[number], 'vuln_id'>

/** Those that stand, and those that were taken back. */
export function listClaims(standing: MergedClaim[], withdrawn: WithdrawnClaim[]): Claim[] {
  const gone = withdrawn.map(({ withdrawn_at, evidence, ...claim }): Claim => ({
    ...claim,
    withdrawn: withdrawn_at?.slice(0, 10) ?? null,
    evidence: JSON.parse(evidence) as Claim['evidence'],
  }))
  const here = standing.map(({ by, name, exploited, reason, added, notes, link, evidence = [] }): Claim => ({
    by,
    name,
    exploited,
    reason,
    added,
    withdrawn: null,
    notes,
    link,
    evidence,
  }))
  return [...sortClaims(here), ...sortClaims(gone)]
}
