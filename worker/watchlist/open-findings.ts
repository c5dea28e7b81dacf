import { verdictRank } from '../domain/verdict'

const isOfFinding = `d.org_id = f.org_id AND d.inventory_id = f.inventory_id AND d.vuln_id = f.vuln_id
  AND d.component_id = f.component_id AND d.author = ''`

/** Of a finding `f`: the organization did not decide that it is not affected, or mended. */
export const isOpen = `NOT EXISTS (SELECT 1 FROM inventory_decisions d WHERE ${isOfFinding} AND d.status IN ('not_affected', 'fixed'))`

/** Of a finding `f`: the place in domain/verdict's `runVerdicts`. */
export const rankFinding = `CASE WHEN f.status <> 'affected' OR f.confidence = 'name_only' THEN ${verdictRank('unknown')}
  WHEN f.confidence = 'likely' THEN ${verdictRank('likely')} ELSE ${verdictRank('confirmed')} END`
