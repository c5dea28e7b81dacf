import { compareDigits, compareEach, type Order } from './order'

type ComposerVersion = { numbers: string[]; stability: number; counts: string[]; is_dev: boolean }

const stabilities = ['alpha', 'beta', 'rc', 'stable', 'patch']
const sameStability = new Map(Object.entries({ a: 'alpha', b: 'beta', c: 'rc', p: 'patch', pl: 'patch' }))
const pattern =
  /^v?(\d+(?:\.(?:\d+|[x*]))*)(?:[._-]?(stable|beta|b|rc|c|alpha|a|patch|pl|p)([.-]?\d+(?:[.-]\d+)*)?)?([.-]?dev)?(?:\+\S*)?$/
// Composer's number for the x of a branch: 2.x-dev is above every 2.
const branch = '9999999'

/** As PHP's version_compare: dev < alpha < beta < RC < release < patch. A named branch (dev-main) has no order. */
export const composer: Order<ComposerVersion> = {
  parse(text) {
    const [, numbers, word = 'stable', counts = '', dev] = pattern.exec(text.trim().toLowerCase()) ?? []
    if (numbers === undefined) return null
    const stability = stabilities.indexOf(sameStability.get(word) ?? word)
    const parts = numbers.split('.')
    const filled = /[x*]/.test(numbers)
      ? parts.concat(Array<string>(4).fill('x')).slice(0, Math.max(4, parts.length))
      : parts
    return {
      numbers: filled.map((part) => (/\d/.test(part) ? part : branch)),
      stability,
      counts: counts.match(/\d+/g) ?? [],
      is_dev: dev !== undefined || filled !== parts,
    }
  },
  compare: (a, b) =>
    compareNumbers(a.numbers, b.numbers) ||
    stabilityRank(a) - stabilityRank(b) ||
    compareNumbers(a.counts, b.counts) ||
    Number(b.is_dev) - Number(a.is_dev),
}

// Of a release that is still in development nothing but the number counts.
const stabilityRank = ({ stability, is_dev }: ComposerVersion) =>
  is_dev && stabilities[stability] === 'stable' ? -1 : stability

const compareNumbers = (a: string[], b: string[]) =>
  compareEach(a, b, (one = '0', other = '0') => compareDigits(one, other))
