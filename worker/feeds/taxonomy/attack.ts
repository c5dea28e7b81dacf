import { AttackTechnique, readAttackPatterns } from './attack-objects'
import { defineFeed } from '../source/feed'
import type { Skip } from '../source/read-records'
import { openSource, readVersion } from '../read/fetch-source'
import { SourceError } from '../read/source-error'
import { saveWhole } from '../source/save-whole'
import { WholeCursor } from '../source/whole-list'

const maxBytes = 200_000_000

export const attack = defineFeed({
  id: 'attack',
  name: 'MITRE ATT&CK',
  every_minutes: 1440,
  quiet_days: null,
  origin: ['enterprise', 'mobile', 'ics']
    .map(
      (domain) =>
        `https://raw.githubusercontent.com/mitre-attack/attack-stix-data/master/${domain}-attack/${domain}-attack.json`,
    )
    .join(' '),
  topics: ['cwes'],
  cursor: WholeCursor,
  async step(run) {
    const found = new Map<string, AttackTechnique>()
    const skipped: Skip[] = []
    const versions: string[] = []
    for (const url of run.origin.split(/\s+/).filter(Boolean)) {
      const source = await openSource(url, { max_bytes: maxBytes })
      if (!source) throw new SourceError(`No such file: ${url}`)
      versions.push(readVersion(source.headers))
      const bundle = await readAttackPatterns(source.body, AttackTechnique)
      skipped.push(...bundle.skipped)
      for (const technique of bundle.patterns) if (technique.is_shown) add(found, technique)
    }

    const rows = [...found.values()].map(({ external_id, name, url, description, domains }) => [
      external_id,
      name,
      url,
      description,
      JSON.stringify(domains),
    ])
    const columns = ['name', 'url', 'description', 'domains']
    const techniques = { name: 'techniques', key: ['external_id'], columns, of: 'external_id', rows }
    return saveWhole(run, { version: versions.join(' '), tables: [techniques], skipped })
  },
})

function add(found: Map<string, AttackTechnique>, technique: AttackTechnique) {
  const domains = [...(found.get(technique.external_id)?.domains ?? []), ...technique.domains]
  found.set(technique.external_id, { ...technique, domains: [...new Set(domains)].toSorted() })
}
