import { compareDigits, compareEach, compareText, type Order } from './order'

type Token = { rank: number; text: string }

const ranks = { early: 0, end: 1, revision: 2, hash: 3, count: 4, late: 5, letter: 6, number: 7 }
const early = ['alpha', 'beta', 'pre', 'rc']
const late = ['cvs', 'svn', 'git', 'hg', 'p']
const pattern = /^(\d+(?:\.\d+)*)([a-z])?((?:_[a-z]+\d*)*)(~[\da-f]+)?(?:-r(\d+))?$/

/** Alpine's order (apk-tools): numbers, a letter, `_alpha` … `_rc` before and `_cvs` … `_p` after the release, then `-r1`. */
export const apk: Order<Token[]> = {
  parse(text) {
    const match = pattern.exec(text.trim())
    if (!match) return null
    const [, numbers = '', letter, suffixes = '', hash, revision] = match
    const named = [...suffixes.matchAll(/_([a-z]+)(\d*)/g)].map(([, name = '', count = '']) => parseSuffix(name, count))
    if (named.includes(null)) return null
    return [
      ...numbers.split('.').map((number) => ({ rank: ranks.number, text: number })),
      ...(letter ? [{ rank: ranks.letter, text: letter }] : []),
      ...named.flatMap((tokens) => tokens ?? []),
      ...(hash ? [{ rank: ranks.hash, text: hash }] : []),
      ...(revision ? [{ rank: ranks.revision, text: revision }] : []),
    ]
  },
  compare: (a, b) => compareEach(a, b, compareTokens),
}

function parseSuffix(name: string, count: string): Token[] | null {
  const names = early.includes(name) ? early : late
  if (!names.includes(name)) return null
  const suffix = { rank: names === early ? ranks.early : ranks.late, text: String(names.indexOf(name)) }
  return count ? [suffix, { rank: ranks.count, text: count }] : [suffix]
}

function compareTokens(a: Token | undefined, b: Token | undefined, at: number) {
  const difference = (a?.rank ?? ranks.end) - (b?.rank ?? ranks.end)
  if (difference || !a || !b) return difference
  // After the first dot a number with a leading zero is a fraction: 1.05 comes before 1.1.
  const isText =
    a.rank === ranks.letter ||
    a.rank === ranks.hash ||
    (a.rank === ranks.number && at > 0 && /^0|,0/.test(`${a.text},${b.text}`))
  return isText ? compareText(a.text, b.text) : compareDigits(a.text, b.text)
}
