import { isMaliciousId } from '../../domain/scores/malice'
import { defineBucketFeed } from './bucket'

/** Packages that are attacks, as OSSF collects them; false ones are withdrawn within hours. */
export const malicious = defineBucketFeed({
  id: 'malicious',
  name: 'Malicious packages',
  every_minutes: 5,
  quiet_days: 4,
  reading: 2,
  ecosystems: 'npm,PyPI,Maven,Go,RubyGems,NuGet,crates.io,VSCode',
  variable: 'MALICIOUS_ECOSYSTEMS',
  isWanted: (_, id) => isMaliciousId(id),
  sources: ['malicious'],
  findSource: () => 'malicious',
})
