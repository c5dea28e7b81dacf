import { compareDigits, compareEach, type Order } from './order'

type DebVersion = { epoch: string; upstream: string; revision: string }

/** [epoch:]upstream[-revision] of the Debian Policy Manual, section 5.6.12. */
export const deb: Order<DebVersion> = {
  parse(text) {
    const [, epoch = '0', rest] = /^(?:(\d+):)?(\d[\w.+~:-]*)$/.exec(text.trim()) ?? []
    if (rest === undefined) return null
    const hyphen = rest.lastIndexOf('-')
    return hyphen === -1
      ? { epoch, upstream: rest, revision: '' }
      : { epoch, upstream: rest.slice(0, hyphen), revision: rest.slice(hyphen + 1) }
  },
  compare: (a, b) =>
    compareDigits(a.epoch, b.epoch) || compareParts(a.upstream, b.upstream) || compareParts(a.revision, b.revision),
}

// Runs of other characters and runs of digits in turn, as they come.
const compareParts = (a: string, b: string) =>
  compareEach(splitRuns(a), splitRuns(b), (one = '', other = '', at) =>
    at % 2
      ? compareDigits(one, other)
      : compareEach(one.split(''), other.split(''), (left, right) => weight(left) - weight(right)),
  )

const splitRuns = (text: string) =>
  [...text.matchAll(/(\D*)(\d*)/g)].flatMap(([, other = '', digits = '']) => [other, digits])

// A tilde comes before the end, and letters before all other characters.
function weight(character: string | undefined) {
  if (character === undefined) return 0
  if (character === '~') return -1
  return /[A-Za-z]/.test(character) ? character.charCodeAt(0) : character.charCodeAt(0) + 256
}
