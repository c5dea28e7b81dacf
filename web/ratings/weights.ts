import { weightNames } from '../../worker/domain/rating'
import type { RatingCode } from '../../worker/domain/rating-vector'
import type { RatingWeights } from '../../worker/ratings/contract'

type Weights = Readonly<Record<string, number>>
type Names = Readonly<Record<string, string>>

/** For a mark, the weight of Y; ages have `findAgeWeights`. */
export function findWeights(code: RatingCode, { vulnerability, threat, asset }: RatingWeights): Weights {
  const { access, impact } = vulnerability.cvss2
  const places: { [code in RatingCode]?: [weights: Weights, names: Names] } = {
    AV: [access.vector, weightNames.AV],
    AC: [access.complexity, weightNames.AC],
    Au: [access.authentication, weightNames.Au],
    C: [impact.confidentiality, weightNames.impact],
    I: [impact.integrity, weightNames.impact],
    A: [impact.availability, weightNames.impact],
    CL: [vulnerability.confirmation, { Y: 'is_confirmed' }],
    R: [vulnerability.remediation, { ...weightNames.R, X: 'default' }],
    EA: [threat.exploit_availability, weightNames.EA],
    EM: [threat.exploit_maturity, weightNames.EM],
    ET: [threat.exploit_trust, weightNames.ET],
    N: [threat.threat_intensity, { Y: 'is_in_the_news' }],
    W: [threat.threat_intensity, { Y: 'is_in_the_wild' }],
    Cr: [asset.criticality, { ...weightNames.Cr, X: 'default' }],
    E: [asset.exposure, { ...weightNames.E, X: 'default' }],
    D: [asset.distribution, { ...weightNames.D, X: 'default' }],
  }
  const [weights = {}, names = {}] = places[code] ?? []
  return Object.fromEntries(
    Object.entries(names).flatMap(([letter, name]) => {
      const weight = weights[name]
      return weight === undefined ? [] : [[letter, weight]]
    }),
  )
}

export const findAgeWeights = (code: RatingCode, { vulnerability, threat }: RatingWeights) =>
  code === 'VX' ? vulnerability.age : threat.exploit_age
