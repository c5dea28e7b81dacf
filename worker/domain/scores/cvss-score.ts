import { CVSS20, CVSS30, CVSS31, CVSS40 } from '@pandatix/js-cvss'
import { parseVector, type CvssVector } from './cvss'
import { parseRatingVector } from './rating-vector'

// js-cvss 0.4.4 leaves 7.46 as it is where the standard rounds up, and loses ties (5.65) to binary fractions.
const roundUp = (score: number) => Math.ceil(Math.round(score * 1e5) / 1e4) / 10
const roundTie = (score: number) => Math.round((score + 1e-6) * 10) / 10
Object.assign(CVSS20, { roundTo1Decimal: roundTie })
Object.assign(CVSS30, { roundup: roundUp })
Object.assign(CVSS31, { roundup: roundUp })
Object.assign(CVSS40, { roundup: roundTie })

const v2Base = ['AV', 'AC', 'Au', 'C', 'I', 'A']
const v3Base = ['AV', 'AC', 'PR', 'UI', 'S', 'C', 'I', 'A']

/**
 * The score 0-10 of a vector: the base score of v2 and v3; of v4, which knows one score only, with the threat and environmental
 * metrics that it carries. Null when `parseVector` or the standard's grammar refuses it. Source: FIRST, CVSS v2 guide section 3.2.1,
 * v3.0 and v3.1 section 7.1 (8.1), v4.0 section 8.
 */
export function computeCvssScore(vector: string): number | null {
  const parsed = parseVector(vector)
  if (!parsed) return null
  try {
    return scoreVector(parsed)
  } catch {
    return null
  }
}

type AdjustedCvss = [base: number, temporal: number | null, environmental: number | null]
type Known = { is_exploitable: boolean; is_confirmed: boolean; rating_vector: string }

const collateral = new Map(Object.entries({ L: 'LM', M: 'MH', H: 'H' }))

/**
 * A CVSS v2 base vector, adjusted by what a rating knows: `[base, temporal, environmental]`, each 0-10. Temporal with
 * E:H when exploitable and RC:C when confirmed, null when neither; environmental with CDP from the asset's criticality
 * (Cr L, M, H: LM, MH, H) and TD from its exposure (E I: M, all else ND), null when neither is defined. Null when
 * `vector` is no CVSS v2 vector. Source: API.md, `cvssv2adj`; FIRST, CVSS v2 guide sections 3.2.1 to 3.2.3.
 */
export function computeAdjustedCvss2(vector: string, { is_exploitable, is_confirmed, rating_vector }: Known) {
  const parsed = parseVector(vector)
  if (parsed?.version !== '2.0') return null
  const { Cr = '', E = '' } = parseRatingVector(rating_vector).metrics
  const [CDP, TD] = [collateral.get(Cr), E === 'I' ? 'M' : undefined]
  const cvss = new CVSS20(
    [
      written(parsed, v2Base),
      `E:${is_exploitable ? 'H' : 'ND'}/RL:ND/RC:${is_confirmed ? 'C' : 'ND'}`,
      `CDP:${CDP ?? 'ND'}/TD:${TD ?? 'ND'}/CR:ND/IR:ND/AR:ND`,
    ].join('/'),
  )
  const adjusted: AdjustedCvss = [
    cvss.BaseScore(),
    is_exploitable || is_confirmed ? cvss.TemporalScore() : null,
    CDP || TD ? cvss.EnvironmentalScore() : null,
  ]
  return adjusted
}

function scoreVector(parsed: CvssVector) {
  if (parsed.version === '2.0') return new CVSS20(written(parsed, v2Base)).BaseScore()
  if (parsed.version === '3.0') return new CVSS30(`CVSS:3.0/${written(parsed, v3Base)}`).BaseScore()
  if (parsed.version === '3.1') return new CVSS31(`CVSS:3.1/${written(parsed, v3Base)}`).BaseScore()
  return new CVSS40(`CVSS:4.0/${written(parsed, Object.keys(parsed.metrics))}`).Score()
}

const written = ({ metrics }: CvssVector, names: string[]) => names.map((name) => `${name}:${metrics[name]}`).join('/')
