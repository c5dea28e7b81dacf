import { semver } from './semver'

/** Versions of Go modules (pseudo-versions and `+incompatible` included) and of Go itself, `go1.21rc2`: semver. */
export const golang = { ...semver, parse: (text: string) => semver.parse(toolchain(text.trim())) }

// Go writes its own pre-releases without a hyphen (go.dev/doc/toolchain, "Go versions").
const toolchain = (text: string) =>
  text.replace(/^go(?=\d)/, '').replace(/^(\d+(?:\.\d+){0,2})(rc|beta|alpha)(\d+)$/, '$1-$2.$3')
