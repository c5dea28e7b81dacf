import table from './spoken-words.json' with { type: 'json' }
import { splitWords } from './words'

/**
 * A word of a search, or several that people say as one (`auth bypass`), and what is called so as well: `others` are sets of
 * phrases, and a text has each phrase of one set.
 */
export type Spoken = { words: string[]; others: string[][] }

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
  const words = splitWords(text)
  const all: Spoken[] = []
  let [added, at] = [0, 0]
  while (at < words.length && all.length < maxWords) {
    const found = findSaid(words.slice(at, at + longest), maxAdded - added)
    const next = found ?? { words: words.slice(at, at + 1), others: [] }
    all.push(next)
    added += next.others.flat().length
    at += next.words.length
  }
  const telling = all.filter(({ words: [word = '', ...more] }) => more.length > 0 || !fillers.has(word.toLowerCase()))
  return telling.length ? telling : all
}

function findSaid(words: string[], room: number): Spoken | undefined {
  for (let length = words.length; length > 0; length--) {
    const own = words.slice(0, length)
    const others = said.get(own.join(' ').toLowerCase())
    if (others && others.flat().length <= room) return { words: own, others }
  }
  return undefined
}

/** What a search finds beside its words: `k8s` also finds `kubernetes`. */
export const listSpoken = (text: string) =>
  readSpoken(text)
    .filter(({ others }) => others.length > 0)
    .map(({ words, others }) => ({ words: words.join(' '), others: others.map((all) => all.join(' ')) }))
