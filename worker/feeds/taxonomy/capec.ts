import { CapecPattern, readAttackPatterns } from './attack-objects'
import { readXhtml } from './cwe-text'
import { defineFeed } from '../source/feed'
import { saveWhole } from '../source/save-whole'
import { wholeListFeed } from '../source/whole-list'

export const capec = defineFeed({
  id: 'capec',
  name: 'CAPEC',
  every_minutes: 1440,
  quiet_days: null,
  origin: 'https://raw.githubusercontent.com/mitre/cti/master/capec/2.1/stix-capec.json',
  topics: ['cwes'],
  ...wholeListFeed(50_000_000, async (run, { version, body }) => {
    const { patterns, skipped } = await readAttackPatterns(body, CapecPattern)
    const shown = patterns.filter(({ is_shown }) => is_shown)
    const tables = [
      {
        name: 'attack_patterns',
        key: ['id'],
        columns: ['name', 'description', 'likelihood', 'severity'],
        of: 'id',
        rows: shown.map((one) => [one.id, one.name, readXhtml(one.description), one.likelihood, one.severity]),
      },
      {
        name: 'weakness_patterns',
        key: ['weakness_id', 'pattern_id'],
        columns: [],
        of: 'pattern_id',
        rows: shown.flatMap(({ id, cwe_ids }) => cwe_ids.map((cwe_id) => [cwe_id, id])),
      },
      {
        name: 'pattern_techniques',
        key: ['pattern_id', 'external_id'],
        columns: [],
        of: 'pattern_id',
        rows: shown.flatMap(({ id, technique_ids }) => technique_ids.map((technique_id) => [id, technique_id])),
      },
    ]
    const unread = skipped.flatMap(({ record_id }) => /^CAPEC-(\d+)$/.exec(record_id)?.slice(1).map(Number) ?? [])
    return saveWhole(run, { version, tables, skipped, unread })
  }),
})
