import { isMaliciousId } from '../../domain/scores/malice'
import { defineBucketFeed } from './bucket'
import { ghsa } from './ghsa'

/** GitHub's advisories come from GitHub if that feed is on. */
export const osv = defineBucketFeed({
  id: 'osv',
  name: 'OSV',
  every_minutes: 5,
  quiet_days: 2,
  reading: 1,
  ecosystems: 'npm,PyPI,Maven,Go,RubyGems,NuGet,Packagist,crates.io,Debian,Alpine',
  variable: 'OSV_ECOSYSTEMS',
  isWanted: (env, id) => !isMaliciousId(id) && !(id.startsWith('GHSA-') && ghsa.originIn(env)),
  sources: ['osv', 'ghsa'],
  findSource: ({ ref = '' }) => (ref.startsWith('GHSA-') ? 'ghsa' : 'osv'),
})

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
