import type SemVer from 'semver/classes/semver.js'
import parse from 'semver/functions/parse.js'
import type { Order } from './order'

/** Semantic Versioning 2.0.0, section 11; parts left out are zeros, and a leading `v` or a missing hyphen is forgiven. */
export const semver: Order<SemVer> = {
  parse: (text) => parse(text.trim(), { loose: true }) ?? parse(completed(text.trim()), { loose: true }),
  compare: (a, b) => a.compare(b),
}

// 1 and 1.2-rc1 are written by people, not by tools.
const completed = (text: string) =>
  text.replace(/^v?(\d+)(?:\.(\d+))?(?=$|[-+a-z])/i, (_, major: string, minor = '0') => `${major}.${minor}.0`)
