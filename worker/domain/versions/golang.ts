import { semver } from './semver'

/** Versions of Go modules, pseudo-versions and `+incompatible` included, and of Go itself (`go1.21rc2`): semver. */
export const golang = { ...semver, parse: (text: string) => semver.parse(text.trim().replace(/^go(?=\d)/, '')) }
