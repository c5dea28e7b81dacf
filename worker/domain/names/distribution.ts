import distributions from './distributions.json' with { type: 'json' }
import type { Purl } from './purl'
import { codenames } from './purl-release'

/** Distributions by their names in inventories, and at endoflife.date. */
const lifecycleIds = new Map(Object.entries(distributions.lifecycles))

/**
 * The distribution that a package was built for, by the qualifier `distro` of its purl (`debian-12.5`, `jammy`): its name at
 * endoflife.date and its version; null without. Source: purl-spec, "Known qualifiers"; texts of Syft and Trivy.
 */
export function findDistribution({ name: path, qualifiers }: Purl): { id: string; version: string } | null {
  const distro = qualifiers.get('distro')?.toLowerCase() ?? ''
  const [namespace = ''] = path.split('/')
  const [, named = namespace, version = codenames.get(distro)] = /^(\D+)-(\d[\d.]*)$/.exec(distro) ?? []
  const id = lifecycleIds.get(named)
  return id === undefined || version === undefined ? null : { id, version }
}
