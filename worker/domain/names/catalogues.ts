import type { Source, ThreatRecord } from '../words/record'

export const claimants = ['cisa', 'eu'] as const
type Claimant = (typeof claimants)[number]

/** Catalogues of what is known to be exploited, as the wire calls them; by the source of their records. */
const catalogues = new Map<Source, { by: Claimant; name: string }>([
  ['kev', { by: 'cisa', name: 'CISA KEV' }],
  ['eukev', { by: 'eu', name: 'EU KEV' }],
])

export const isCatalogue = (source: Source) => catalogues.has(source)

/** The sources of the records of those who claim, or of all (`any`). */
export const claimSources = (by: string) =>
  [...catalogues].flatMap(([source, catalogue]) => (by === 'any' || catalogue.by === by ? [source] : []))

/** What each catalogue claims, the newest first; `added` is YYYY-MM-DD. */
export const listCatalogues = (threats: (ThreatRecord & { source: Source })[]) =>
  threats
    .flatMap(({ source, published, notes, link }) => {
      const catalogue = catalogues.get(source)
      return catalogue ? [{ ...catalogue, added: published?.slice(0, 10) ?? '', notes, link }] : []
    })
    .toSorted((a, b) => (a.added < b.added ? 1 : -1))
