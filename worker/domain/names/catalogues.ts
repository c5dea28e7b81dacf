import type { ExploitationClaim } from '../words/record'

/** Catalogues that have a name in queries; `other` is any that is none of them. */
const namedCatalogues = ['cisa', 'eu', 'circl', 'vulncheck'] as const
export const claimants = [...namedCatalogues, 'other'] as const
export const isNamedCatalogue = (by: string) => namedCatalogues.some((catalogue) => catalogue === by)

/** A claim that is denied, disputed or a mere suspicion is kept and shown, and calls nothing exploited. */
export const isExploitedBy = ({ exploited, reason }: Pick<ExploitationClaim, 'exploited' | 'reason'>) =>
  exploited && reason !== 'suspected' && reason !== 'disputed'

const standings = ['exploited', 'suspected', 'denied'] as const
export type ClaimStanding = (typeof standings)[number]
const findStanding = (claim: ExploitationClaim): ClaimStanding =>
  isExploitedBy(claim) ? 'exploited' : claim.exploited ? 'suspected' : 'denied'

/** Sum of the claims of each catalogue, by its name: one claim of exploitation outweighs its doubts, and a doubt its denial. */
export function sumClaims(claims: ExploitationClaim[]) {
  const sums = new Map<string, ClaimStanding>()
  for (const standing of standings.toReversed())
    for (const claim of claims) if (findStanding(claim) === standing) sums.set(claim.name, standing)
  return sums
}

/** The newest first. */
export const sortClaims = <Claim extends { added: string }>(claims: Claim[]) =>
  claims.toSorted((a, b) => (a.added < b.added ? 1 : -1))
