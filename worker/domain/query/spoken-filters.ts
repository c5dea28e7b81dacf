import table from './spoken-words.json' with { type: 'json' }
import { splitWords } from './words'

/** A filter that words of a search name: its query, and the rest of the search without them. */
type SpokenFilter = { words: string; q: string; rest: string }

const queries = new Map(Object.entries(table.filters))
const longest = Math.max(...[...queries.keys()].map((words) => words.split(' ').length))
const isYear = /^(?:199\d|20\d\d)$/
const maxOffered = 4

/** Filters that a search names in words: `fortinet critical 2024` may mean two. They are offered, as each may be a word of a text. */
export function findSpokenFilters(search: string): SpokenFilter[] {
  const words = splitWords(search)
  const found: SpokenFilter[] = []
  for (let at = 0; at < words.length && found.length < maxOffered; at++) {
    const length = Array.from({ length: longest }, (_, less) => longest - less).find((count) =>
      readFilter(words.slice(at, at + count)),
    )
    if (!length) continue
    const said = words.slice(at, at + length)
    const rest = [...words.slice(0, at), ...words.slice(at + length)].join(' ')
    found.push({ words: said.join(' '), q: readFilter(said) ?? '', rest })
    at += length - 1
  }
  return found
}

/** All filters that a search names, as one query, and the words that are left: `cisco kev 2024` is "cisco" in KEV, published in 2024. */
export function readSpokenFilters(search: string): { q: string; rest: string } {
  const [first] = findSpokenFilters(search)
  if (!first) return { q: '', rest: search }
  const { q, rest } = readSpokenFilters(first.rest)
  return { q: [first.q, q].filter(Boolean).join(' '), rest }
}

function readFilter(words: string[]) {
  const text = words.join(' ').toLowerCase()
  return isYear.test(text) ? `published:${text}` : queries.get(text)
}
