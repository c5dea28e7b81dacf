import { compareDigits, type Order } from './order'

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
function compareParts(a: string, b: string) {
  const [left, right] = [splitRuns(a), splitRuns(b)]
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const [one = '', other = ''] = [left[at], right[at]]
    const difference = at % 2 ? compareDigits(one, other) : compareRun(one, other)
    if (difference) return difference
  }
  return 0
}

const splitRuns = (text: string) =>
  [...text.matchAll(/(\D*)(\d*)/g)].flatMap(([, other = '', digits = '']) => [other, digits])

function compareRun(a: string, b: string) {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const difference = weight(a[at]) - weight(b[at])
    if (difference) return difference
  }
  return 0
}

// A tilde comes before the end, and letters before all other characters.
function weight(character: string | undefined) {
  if (character === undefined) return 0
  if (character === '~') return -1
  return /[A-Za-z]/.test(character) ? character.charCodeAt(0) : character.charCodeAt(0) + 256
}
