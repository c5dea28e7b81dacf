import type SemVer from 'semver/classes/semver.js'
import parse from 'semver/functions/parse.js'
import type { Order } from './order'

/**
 * Semantic Versioning 2.0.0, sections 2, 9 to 11, and nothing that only looks like it: not `10.1.15.2`, `2.2.0p33` or `21.4R3-S8`. A
 * leading `v` and missing parts (`1` is `1.0.0`, `6.1-rc1` is `6.1.0-rc1`) are forgiven, as people write bounds so and no other
 * reading exists.
 */
export const semver: Order<SemVer> = { parse: (text) => parse(completed(text.trim())), compare: (a, b) => a.compare(b) }

const completed = (text: string) =>
  text
    .replace(/^v(?=\d)/i, '')
    .replace(/^(\d+)(?:\.(\d+))?(?=$|[-+])/, (_, major: string, minor = '0') => `${major}.${minor}.0`)

/** Versions of Go modules (pseudo-versions and `+incompatible` included) and of Go itself, `go1.21rc2`: semver. */
export const golang = { ...semver, parse: (text: string) => semver.parse(toolchain(text.trim())) }

// Go writes its own pre-releases without a hyphen (go.dev/doc/toolchain, "Go versions").
const toolchain = (text: string) =>
  text.replace(/^go(?=\d)/, '').replace(/^(\d+(?:\.\d+){0,2})(rc|beta|alpha)(\d+)$/, '$1-$2.$3')

/** Pub (dart.dev, "Pub versioning philosophy"; package pub_semver): SemVer 2.0.0, where builds count: 1.0.0 < 1.0.0+1 < 1.0.0+2. */
export const pub: Order<SemVer> = { parse: semver.parse, compare: (a, b) => a.compare(b) || a.compareBuild(b) }
