import type SemVer from 'semver/classes/semver.js'
import type { Order } from './order'
import { semver } from './semver'

/** Pub (dart.dev, "Pub versioning philosophy"; package pub_semver): SemVer 2.0.0, where builds count: 1.0.0 < 1.0.0+1 < 1.0.0+2. */
export const pub: Order<SemVer> = {
  parse: semver.parse,
  compare: (a, b) => a.compare(b) || a.compareBuild(b),
}
