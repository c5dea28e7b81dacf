import { compareDigits, compareEach, compareText, type Order } from './order'

type NugetVersion = { numbers: string[]; labels: string[] }

/** NuGet: SemVer 2.0.0 with up to four numbers, labels without regard to case; text behind `+` does not count. */
export const nuget: Order<NugetVersion> = {
  parse(text) {
    const [, numbers, labels] = /^v?(\d+(?:\.\d+){0,3})(?:-([\da-z.-]+))?(?:\+[\da-z.-]+)?$/i.exec(text.trim()) ?? []
    if (numbers === undefined) return null
    return { numbers: numbers.split('.'), labels: labels?.toLowerCase().split('.') ?? [] }
  },
  compare(a, b) {
    const difference = compareEach(a.numbers, b.numbers, (one = '0', other = '0') => compareDigits(one, other))
    if (difference || !a.labels.length || !b.labels.length) return difference || b.labels.length - a.labels.length
    return compareEach(a.labels, b.labels, compareLabels)
  },
}

function compareLabels(a: string | undefined, b: string | undefined) {
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1
  const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1
  return isNumber ? compareDigits(a, b) : compareText(a, b)
}
