import table from './spoken-words.json' with { type: 'json' }
import { idWord } from '../names/cited-ids'
import { isAdvisoryId } from '../names/cve'
import { findFamous } from '../names/famous'
import { splitWords } from './words'

/**
 * A word of a search, or several that people say as one (`auth bypass`), and its other names: `others` are sets of
 * phrases, and a text has each phrase of one set.
 */
type Spoken = { words: string[]; others: string[][] }

const maxWords = 20
/** So many words may others add. */
const maxAdded = 16
/** Nearly every text has them: beside others they find nothing, and are long to read. */
const fillers = new Set('a an and by for from in of on or the to via with'.split(' '))

// A plus joins words that may stand anywhere in a text, as those of products do; others stand side by side.
const said = new Map(
  Object.entries(table.words).map(([words, others]) => [words, others.map((other) => other.split('+'))]),
)
const longest = Math.max(...[...said.keys()].map((words) => words.split(' ').length))

/** The words of a search in their order, without those that tell nothing, unless there are no others. */
export function readSpoken(text: string): Spoken[] {
  const all: Spoken[] = []
  let added = 0
  for (const part of splitIds(text)) {
    if (all.length >= maxWords) break
    if (isId(part)) all.push({ words: [splitWords(part).join(' ')], others: [[idWord(part)]] })
    const words = isId(part) ? [] : splitWords(part)
    for (let at = 0; at < words.length && all.length < maxWords; at += all.at(-1)?.words.length ?? 1) {
      const found = findSaid(words.slice(at, at + longest), maxAdded - added)
      all.push(found ?? { words: words.slice(at, at + 1), others: [] })
      added += found?.others.flat().length ?? 0
    }
  }
  const telling = all.filter(({ words: [word = '', ...more] }) => more.length > 0 || !fillers.has(word.toLowerCase()))
  return telling.length ? telling : all
}

const isId = (part: string) => isAdvisoryId(part) || /^CWE-\d{1,5}$/i.test(part)

/** Each id of an advisory alone, and the text between them. */
function splitIds(text: string) {
  const parts: string[][] = []
  for (const word of text.split(/\s+/)) {
    const last = parts.at(-1)
    if (!last || isId(word) || isId(last[0] ?? '')) parts.push([word])
    else last.push(word)
  }
  return parts.map((words) => words.join(' '))
}

/** Other names, and the CVEs of a famous one. */
function listOthers(words: string[]) {
  const known = said.get(words.join(' ').toLowerCase())
  const famous = findFamous(words.join('')).map((cveid) => [splitWords(cveid).join(' ')])
  return known || famous.length ? [...(known ?? []), ...famous] : undefined
}

function findSaid(words: string[], room: number): Spoken | undefined {
  for (let length = words.length; length > 0; length--) {
    const own = words.slice(0, length)
    const others = listOthers(own)
    if (others && others.flat().length <= room) return { words: own, others }
  }
  return undefined
}

/** Words that a search finds beside its own: `k8s` also finds `kubernetes`. */
export const listSpoken = (text: string) =>
  readSpoken(text)
    .map(({ words, others }) => ({ words: words.join(' '), others: others.map((all) => all.join(' ')) }))
    .map(({ words, others }) => ({ words, others: others.filter((other) => other !== idWord(words)).map(readableId) }))
    .filter(({ others }) => others.length > 0)

/** "cwe79" and "CVE 2014 0160" as they are written elsewhere. */
const readableId = (text: string) => text.replace(/^cwe(\d+)$/, 'CWE-$1').replace(/^cve (\d{4}) (\d+)$/i, 'CVE-$1-$2')
