import { compareDigits, compareText, type Order } from './order'

type NugetVersion = { numbers: string[]; labels: string[] }

/** NuGet: SemVer 2.0.0 with up to four numbers, labels without regard to case; text behind `+` does not count. */
export const nuget: Order<NugetVersion> = {
  parse(text) {
    const [, numbers, labels] = /^v?(\d+(?:\.\d+){0,3})(?:-([\da-z.-]+))?(?:\+[\da-z.-]+)?$/i.exec(text.trim()) ?? []
    if (numbers === undefined) return null
    return { numbers: numbers.split('.'), labels: labels?.toLowerCase().split('.') ?? [] }
  },
  compare(a, b) {
    for (let at = 0; at < 4; at++) {
      const difference = compareDigits(a.numbers[at] ?? '0', b.numbers[at] ?? '0')
      if (difference) return difference
    }
    if (!a.labels.length || !b.labels.length) return b.labels.length - a.labels.length
    return compareLabels(a.labels, b.labels)
  },
}

function compareLabels(a: string[], b: string[]) {
  for (const [at, label] of a.entries()) {
    const other = b[at]
    if (other === undefined) return 1
    const [isNumber, isOtherNumber] = [/^\d+$/.test(label), /^\d+$/.test(other)]
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1
    const difference = isNumber ? compareDigits(label, other) : compareText(label, other)
    if (difference) return difference
  }
  return a.length - b.length
}
