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
