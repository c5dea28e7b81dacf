import { compareDigits, compareEach, compareText, type Order } from './order'

type Segment = { separator: number; text: string }
type AlpmVersion = { epoch: string; version: Segment[]; release: Segment[] }

/**
 * Arch Linux, [epoch:]version-release (vercmp(8)): 1.0a < 1.0b < 1.0beta < 1.0p < 1.0rc < 1.0 < 1.0.a < 1.0.1. A missing release
 * is the lowest; vercmp leaves it out on both sides, which no order could be made of.
 */
export const alpm: Order<AlpmVersion> = {
  parse(text) {
    const [, epoch = '0', version = '', release = ''] =
      /^(?:(\d+):)?([\w.+~]+)(?:-(\d+(?:\.\d+)?))?$/.exec(text.trim()) ?? []
    if (!/\d/.test(version)) return null
    return { epoch, version: splitSegments(version), release: splitSegments(release) }
  },
  compare: (a, b) =>
    compareDigits(a.epoch, b.epoch) || compareSegments(a.version, b.version) || compareSegments(a.release, b.release),
}

const splitSegments = (text: string): Segment[] =>
  [...text.matchAll(/([^\dA-Za-z]*)(\d+|[A-Za-z]+)/g)].map(([, separator = '', segment = '']) => ({
    separator: separator.length,
    text: segment,
  }))

const isNumber = ({ text }: Segment) => /^\d/.test(text)

const compareSegments = (a: Segment[], b: Segment[]) =>
  compareEach(a, b, (one, other) => {
    if (one && other) return comparePair(one, other)
    return one ? againstEnd(one) : other ? -againstEnd(other) : 0
  })

// Letters right behind a number come before its end, and text behind a separator comes after it.
const againstEnd = (segment: Segment) => (isNumber(segment) || segment.separator > 0 ? 1 : -1)

function comparePair(a: Segment, b: Segment) {
  if (a.separator !== b.separator) return a.separator - b.separator
  if (isNumber(a) !== isNumber(b)) return isNumber(a) ? 1 : -1
  return isNumber(a) ? compareDigits(a.text, b.text) : compareText(a.text, b.text)
}
