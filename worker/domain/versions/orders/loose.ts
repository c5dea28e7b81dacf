import { compareDigits, compareText, type Order } from './order'

type Token = { kind: 'early' | 'word' | 'number'; text: string }

// Labels before the release of the same number, from the earliest.
const early = ['dev', 'snapshot', 'nightly', 'canary', 'alpha', 'beta', 'milestone', 'preview', 'pre', 'cr', 'rc']
const sameWord = new Map<string, string>([
  ['patch', 'p'],
  ['pl', 'p'],
  ['patchlevel', 'p'],
  ['update', 'u'],
  ['upd', 'u'],
  ['servicepack', 'sp'],
  ['hotfix', 'hf'],
  ['development', 'dev'],
  ['prerelease', 'pre'],
])
const release = new Set(['final', 'ga', 'release', 'stable'])
/** Names of a line of releases behind the numbers, which the others of the line have, too: 22.4R3-S1-EVO, 115.3esr. */
const lines = new Set(['evo', 'esr', 'lts'])
const maxLength = 100
const connecting =
  'all|and|any|before|below|earlier|from|later|newer|older|or|previous|prior|since|than|through|to|until|versions'
const sentence = new RegExp(
  String.raw`[^\w\s.+~()[\]/-]|\b(?:${connecting}|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\b`,
)
const joinedSentence = new RegExp(`_(?:${connecting})(?:_|$)`)
/** Whether a text in lower case speaks of versions, and is none: `1.0_and_earlier`. */
export const isSentence = (text: string) => sentence.test(text) || joinedSentence.test(text)
const commit = /^(?=\d*[a-f])(?=[a-f]*\d)[\da-f]{12,}$/
/** A branch of Composer, `dev-8.x`: no number tells its content. */
const branch = /^dev-/
const date = /^((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/

/**
 * The order of versions that follow no standard, as CPE names have them. Case, a leading `v` and the kind of separator do not count;
 * runs of digits are numbers, zeros at the end say nothing (`1.0` is `1.0.0`), and a compact date is its three parts. At the same
 * place: dev … alpha, beta, pre, rc < end < a letter or word < a number, so 1.0.1-beta1 < 1.0.1 < 1.0.1a < 1.0.1g < 1.0.1.1 and 8.5 <
 * 8.5p1 < 8.5p2. Letters go by the alphabet, `za` follows `z`, the name of a line at the end (22.4-EVO, 115.3esr) says nothing, and
 * update words are words like others. Null where two different words or two names in front of the numbers meet, and for sentences,
 * commits and branches.
 */
export const loose: Order<Token[]> = {
  parse(text) {
    const plain = spellUpdates(text.trim().toLowerCase()).replace(/^(?:versions?|ver\.?|release|v\.?)\s*(?=\d)/, '')
    if (!plain || plain.length > maxLength || isSentence(plain) || commit.test(plain) || branch.test(plain)) return null
    const tokens = withoutLine((plain.match(/\d+|[a-z]+/g) ?? []).flatMap(splitTokens))
    return tokens.length && tokens.some(({ kind }) => kind === 'number') ? withoutZeros(tokens) : null
  },
  compare(a, b) {
    let isNumbered = false
    for (let at = 0; at < Math.max(a.length, b.length); at++) {
      const [one, other] = [a[at], b[at]]
      const difference = compareTokens(one, other)
      const isName = !isNumbered && (one?.kind === 'word' || other?.kind === 'word')
      if (difference !== 0) return isName ? null : difference
      isNumbered ||= one?.kind === 'number'
    }
    return 0
  },
}

/**
 * Updates with several spellings, whatever the product: `1.8.0_202`, `9.0.0.M5`, `CU14`, Acrobat's `2023.006.20380`, Android's `12L`
 * and `14:2024-03-05`.
 */
const spellUpdates = (text: string) =>
  isSpelledOtherwise.test(text)
    ? text
        .replace(/service[ _-]?pack/, 'sp')
        .replace(/cumulative[ _-]?update/, 'cu')
        .replace(/^(1\.[2-9]\.\d)_(\d{1,3})(?:-b\d{1,3})?$/, '$1 u$2')
        .replace(/([ .-])m(?=\d{1,3}$)/, '$1milestone')
        .replace(/^20(?=\d\d\.\d{3}\.\d{5}$)/, '')
        .replace(/^12l(?=$|:)/, '12.1')
        .replace(/^(\d{1,2}(?:\.1)?):(?=0$|20\d\d-\d\d-\d\d$)/, '$1.')
    : text
const isSpelledOtherwise = /^1\.\d\.\d_|pack|update|m\d|^20\d\d\.\d{3}\.|^12l$|^\d{1,2}l?:/

/** Whether an update (`rc1`, `beta`) comes before its release. */
export const isEarlyWord = (update: string) => {
  const [word = ''] = /[a-z]+/.exec(update) ?? []
  return early.includes(sameWord.get(word) ?? word)
}

function splitTokens(text: string): Token[] {
  if (/^\d/.test(text)) {
    const [, ...parts] = date.exec(text) ?? ['', text]
    return parts.map((part) => ({ kind: 'number', text: part }))
  }
  const word = sameWord.get(text) ?? text
  if (release.has(word)) return []
  return [{ kind: early.includes(word) ? 'early' : 'word', text: word }]
}

const withoutLine = (tokens: Token[]) => (lines.has(tokens.at(-1)?.text ?? '') ? tokens.slice(0, -1) : tokens)

function withoutZeros(tokens: Token[]) {
  const telling: Token[] = []
  for (const token of tokens) {
    if (token.kind !== 'number') removeZeros(telling)
    telling.push(token)
  }
  removeZeros(telling)
  return telling
}

function removeZeros(tokens: Token[]) {
  for (let last = tokens.at(-1); tokens.length > 1 && last && isZero(last); last = tokens.at(-1)) tokens.pop()
}

const isZero = ({ kind, text }: Token) => kind === 'number' && /^0+$/.test(text)

const rank = { early: 0, word: 2, number: 3 }
const endRank = 1

function compareTokens(a: Token | undefined, b: Token | undefined) {
  const [left, right] = [a ? rank[a.kind] : endRank, b ? rank[b.kind] : endRank]
  if (left !== right) return left - right
  if (!a || !b || a.text === b.text) return 0
  if (a.kind === 'number') return compareDigits(a.text, b.text)
  if (a.kind === 'early') return early.indexOf(a.text) - early.indexOf(b.text)
  return isLetter(a.text) && isLetter(b.text) ? compareText(a.text, b.text) : null
}

const isLetter = (word: string) => /^z?[a-z]$/.test(word)
