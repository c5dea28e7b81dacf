import { compareDigits, compareEach, compareText, type Order } from './order'

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
  compare: (a, b) => compareEach(a, b, compareSegments),
}

const isNumber = (segment: string) => /^\d/.test(segment)

const withoutZeros = (segments: string[]) =>
  segments.slice(0, segments.findLastIndex((segment) => !/^0+$/.test(segment)) + 1)

function compareSegments(a = '0', b = '0') {
  if (isNumber(a) !== isNumber(b)) return isNumber(a) ? 1 : -1
  return isNumber(a) ? compareDigits(a, b) : compareText(a, b)
}
