import { verdictRank } from '../domain/versions/verdict'
import { isOfFinding } from '../schema/decisions'

/** Of a finding `f`: the organization did not decide that it is not affected, or mended. The plus sign keeps it to the key. */
export const isOpen = `NOT EXISTS (SELECT 1 FROM decisions d WHERE ${isOfFinding} AND +d.verdict IN ('not_affected', 'fixed'))`

/** Of a finding `f`: the place in domain/versions/verdict's `runVerdicts`. */
export const rankFinding = `CASE WHEN f.status <> 'affected' OR f.confidence = 'name_only' THEN ${verdictRank('unknown')}
  WHEN f.confidence = 'likely' THEN ${verdictRank('likely')} ELSE ${verdictRank('confirmed')} END`
