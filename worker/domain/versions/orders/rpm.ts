import { compareDigits, compareEach, compareText, type Order } from './order'

type RpmVersion = { epoch: string; version: string; release: string }

/** [epoch:]version[-release] as rpmvercmp orders it: `~` comes before the end, `^` after it; no epoch is 0, no release is the lowest. */
export const rpm: Order<RpmVersion> = {
  parse(text) {
    const [, epoch = '0', version, release = ''] =
      /^(?:(\d+):)?([\w.+~^]*\d[\w.+~^]*)(?:-([\w.+~^]+))?$/.exec(text.trim()) ?? []
    return version === undefined ? null : { epoch, version, release }
  },
  compare: (a, b) =>
    compareDigits(a.epoch, b.epoch) || rpmvercmp(a.version, b.version) || rpmvercmp(a.release, b.release),
}

const rpmvercmp = (a: string, b: string) => compareEach(splitSegments(a), splitSegments(b), compareSegments)
const splitSegments = (text: string) => text.match(/\d+|[A-Za-z]+|[~^]/g) ?? []

function compareSegments(a: string | undefined, b: string | undefined) {
  const difference = weight(a) - weight(b)
  if (difference || a === undefined || b === undefined) return difference
  return /^\d/.test(a) ? compareDigits(a, b) : compareText(a, b)
}

function weight(segment: string | undefined) {
  if (segment === undefined) return 1
  if (segment === '~') return 0
  if (segment === '^') return 2
  return /^\d/.test(segment) ? 4 : 3
}
