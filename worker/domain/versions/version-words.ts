import type { Bounds } from '../words/record'
import { compareVersions } from './versions'

/** Versions as people write them: one, or those within bounds; without both, all. */
export type WordedRange = Bounds & { is?: string }

const maxLength = 200
/** Blanks included. */
const maxWritten = 1_000
const anything =
  /^(?:\*|vers:all\/\*|all|any|all versions|any version|all known versions|all supported versions|firmware all versions)$/i
const nothing =
  /^(?:-|\?|n\/?a|none|null|various|unspecified|unknown|undefined|tbd|not (?:specified|applicable|known)|(?:please )?(?:see|refer to) .*|multiple(?: versions)?)?$/i

const tail = String.raw`(?: (?:sp|hf|su|update|patch|hotfix|build|alpha|beta|rc|p|r|u) ?\d[\w.]*| (?:alpha|beta)| \(\d[\w.]*\))*`
const named = String.raw`v?\.?\d[\w.+~()[\]*-]*${tail}`
const prefix = String.raw`(?:all )?(?:firmware |software )?(?:versions?|releases?|ver\.?|v\.?|builds?)?:? ?`
const operator = '>=|=>|<=|=<|==|<|>|='
const pattern = (text: string) => new RegExp(`^${text}$`, 'i')

const comparison = pattern(`${prefix}(${operator}) ?(${named})(?:(?:,| and|&&)? ?(${operator}) ?(${named}))?`)
const between = pattern(`(${named}) ?(<=?) ?[a-z]+ ?(<=?) ?(${named})`)
const before = pattern(
  `${prefix}(?:before|prior to|earlier than|lower than|older than|less than|below) ${prefix}(${named})`,
)
const upTo = pattern(`${prefix}(?:up to(?: and including)?|through|until|to) ${prefix}(${named})`)
const orLower = pattern(
  `${prefix}(${named}),? (?:and|or) (?:all )?(?:prior|earlier|below|older|lower|previous|before)(?: versions?| releases?)?`,
)
const orHigher = pattern(
  `${prefix}(${named}),? (?:and|or) (?:all )?(?:later|above|newer|higher|after|up|onwards?)(?: versions?| releases?)?`,
)
const since = pattern(`${prefix}(?:from|since|starting from) ${prefix}(${named})`)
const fromTo = pattern(
  `${prefix}(?:from |between )?${prefix}(${named}) (?:to|through|thru|up to|until|-|~) ${prefix}(${named})`,
)
const fromBefore = pattern(`${prefix}(?:from )?${prefix}(${named}) (?:before|prior to|to before) ${prefix}(${named})`)
/** A count behind letters, llama.cpp's b3561 (CVE-2024-42477) and JY0070; a longer one may be a commit. */
const counted = pattern(`(?:(<=?)|before|prior to) ?${prefix}((?=\\w{3,6}$)[a-z]{1,2}\\d{2,5})`)
const exact = pattern(`${prefix}(${named})`)

/**
 * Reads what a CNA writes as a version (CVE 5, GitHub): ">= 1.0, < 2.0", "before 1.2.3", "1.0 through 1.4", "8.0.27 and prior", "5.9,
 * 6.0", "all versions". Empty when it names none ("n/a"), null when it cannot be read.
 */
export function parseVersionWords(words: string, product = ''): WordedRange[] | null {
  if (isPlain.test(words)) return [{ is: words }]
  if (words.length > maxWritten) return null
  const plain = stripProduct(words, product)
  if (plain.length > maxLength) return null
  if (nothing.test(plain)) return []
  if (anything.test(plain)) return [{}]
  const whole = readClause(plain)
  if (whole) return [whole]

  const several = readSeveral(plain)
  if (several) return several

  const clauses = plain.split(/\s*(?:\|\||;)\s*/).map(readClause)
  if (clauses.length > 1) return clauses.every((one) => one !== null) ? clauses : null
  const listed = plain.split(/\s*,\s*(?:and )?|\s+and\s+/).map(readClause)
  return listed.every((one) => one !== null && isClosed(one)) ? listed.filter((one) => one !== null) : null
}

// A shortcut for nearly all texts: the patterns below give the same answer at greater cost.
const isPlain = /^\d(?:[\w.()]{0,62}[\w)])?$/

function stripProduct(words: string, product: string) {
  const plain = words
    .normalize('NFKC')
    .replaceAll('≤', '<=')
    .replaceAll('≥', '>=')
    .replaceAll(/[–—]/g, '-')
    .replaceAll(/["'`\\]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/\.$/, '')
  const name = [product, product.split(' ').at(-1) ?? ''].find((one) => one && startsWith(plain, `${one} `))
  return (name === undefined ? plain : plain.slice(name.length + 1)).replace(label, '')
}

const startsWith = (text: string, start: string) => text.slice(0, start.length).toLowerCase() === start.toLowerCase()
// "Java SE: 8u401", "stable: < 3.3.2", "ArubaOS 10.4.x.x: 10.4.0.3 and below".
const label = /^[^<>=,;:]*: ?(?=[<>=]|v?\d)/i

// "before 1.2, before 2.0" does not say which branch each speaks of.
const isClosed = ({ is, ge, gt }: WordedRange) => is !== undefined || ge !== undefined || gt !== undefined

/** "12.2.3-12.2.12" and "12.0.1~12.4.0": two dotted numbers, and the second cannot be a release or a pre-release of the first. */
const joined = /^v?(\d+(?:\.\d+)+(?:\.[x*])?)[-~]v?(\d+(?:\.\d+)+(?:\.[x*])?)$/i
const dotted = /^v?\d+(?:\.\d+)+(?:\.[x*])?$/i

/** Whether one word names all from one version to another; Oracle and Joomla write so. */
export const hasTwoEnds = (text: string) =>
  !isPlain.test(text) && (parseEnds(text.trim()) !== null || /^v?\d[\w.]*\+$/i.test(text.trim()))

/** "11.1.0-11.1.7 11.2.0-11.2.8" and "1.0/1.1": dotted numbers and ranges of them, and nothing else. */
function readSeveral(text: string): WordedRange[] | null {
  const pieces = text.split(text.includes('/') ? '/' : ' ')
  const read = pieces.map((piece) => (dotted.test(piece) ? { is: piece } : parseEnds(piece)))
  return pieces.length > 1 && read.every((one) => one !== null) ? read : null
}

function parseEnds(text: string) {
  const [, ge, le] = joined.exec(text) ?? []
  if (!ge || !le || (compareVersions('loose', ge, le) ?? 0) >= 0) return null
  const [start, end] = [ge.split('.'), le.split('.')]
  return start.length === end.length || start[0] === end[0] ? { ge, le } : null
}

function readClause(text: string): WordedRange | null {
  const [, one, first, other, second] = comparison.exec(text) ?? []
  if (one && first) return { ...toBound(one, first), ...(other && second ? toBound(other, second) : {}) }
  const [, low, lowSign, highSign, high] = between.exec(text) ?? []
  if (low && high)
    return { ...(lowSign === '<' ? { gt: low } : { ge: low }), ...(highSign === '<' ? { lt: high } : { le: high }) }
  const [, start, end] = fromTo.exec(text) ?? []
  if (start && end) return { ge: start, le: end }
  const [, from, fixed] = fromBefore.exec(text) ?? []
  if (from && fixed) return { ge: from, lt: fixed }
  const [, lt] = before.exec(text) ?? []
  if (lt) return { lt }
  const [, le] = upTo.exec(text) ?? orLower.exec(text) ?? []
  if (le) return { le }
  const [, ge] = orHigher.exec(text) ?? since.exec(text) ?? []
  if (ge) return { ge }
  const [, sign, count] = counted.exec(text) ?? []
  if (count) return sign === '<=' ? { le: count } : { lt: count }
  const [, is] = exact.exec(text) ?? []
  const [, onwards] = /^(.*\d[\w.]*)\+$/.exec(is ?? '') ?? []
  if (onwards) return { ge: onwards }
  return is ? (parseEnds(is) ?? { is }) : null
}

function toBound(sign: string, version: string): WordedRange {
  if (sign === '<') return { lt: version }
  if (sign === '>') return { gt: version }
  if (sign === '<=' || sign === '=<') return { le: version }
  return sign === '>=' || sign === '=>' ? { ge: version } : { is: version }
}
