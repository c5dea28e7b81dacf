import { compareDigits, compareText, type Order } from './order'

/** Of a build (Gem::Platform), which people write behind the version: `1.16.5-arm64-darwin`, `1.16.5-java`. */
const platform =
  /-(?:java|jruby|mswin\d*|(?:x86_64|x86|x64|i[3-6]86|amd64|arm64|aarch64|arm|universal|ppc64le|s390x|riscv64)-[\w.-]+)$/i
const pattern = /^\d+(\.[\da-z]+)*(-[\da-z-]+(\.[\da-z-]+)*)?$/i

/** Gem::Version of RubyGems: a segment with letters is a pre-release and below any number; `-` reads `.pre.`. */
export const gem: Order<string[]> = {
  parse(text) {
    const plain = text
      .trim()
      .replace(/^v(?=\d)/i, '')
      .replace(platform, '')
    if (!pattern.test(plain)) return null
    const segments = plain.replaceAll('-', '.pre.').match(/\d+|[a-z]+/gi) ?? []
    const letters = segments.findIndex((segment) => !isNumber(segment))
    const release = letters === -1 ? segments : segments.slice(0, letters)
    return [...withoutZeros(release), ...withoutZeros(segments.slice(release.length))]
  },
  compare(a, b) {
    for (let at = 0; at < Math.max(a.length, b.length); at++) {
      const difference = compareSegments(a[at] ?? '0', b[at] ?? '0')
      if (difference) return difference
    }
    return 0
  },
}

const isNumber = (segment: string) => /^\d/.test(segment)

function withoutZeros(segments: string[]) {
  const last = segments.findLastIndex((segment) => !/^0+$/.test(segment))
  return segments.slice(0, last + 1)
}

function compareSegments(a: string, b: string) {
  if (isNumber(a) !== isNumber(b)) return isNumber(a) ? 1 : -1
  return isNumber(a) ? compareDigits(a, b) : compareText(a, b)
}
