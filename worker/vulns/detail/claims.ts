import { and, eq, isNotNull } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { sortClaims } from '../../domain/names/catalogues'
import type { MergedClaim } from '../../domain/words/merge'
import { exploitationClaims } from '../../schema/claims'
import type { VulnDetail } from './contract'

type Claim = VulnDetail['exploited_by'][number]

export const selectWithdrawn = (db: Db, vuln_id: number) =>
  db
    .select({
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
    .where(and(eq(exploitationClaims.vuln_id, vuln_id), isNotNull(exploitationClaims.withdrawn_at)))

export type WithdrawnClaim = Awaited<ReturnType<typeof selectWithdrawn>>[number]

/** Those that stand, and those that were taken back. */
export function listClaims(standing: MergedClaim[], withdrawn: WithdrawnClaim[]): Claim[] {
  const gone = withdrawn.map(({ withdrawn_at, evidence, ...one }): Claim => ({
    ...one,
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
