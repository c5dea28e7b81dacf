import type { Comparison, Query } from '../../../worker/domain/query/ast'
import { compareDateSpan, compareDaysAhead } from '../../../worker/domain/query/dates'

import { vulnSeverity } from '../../../worker/domain/scores/severity'
import { idWord } from '../../../worker/domain/names/cited-ids'
import { readSpoken } from '../../../worker/domain/query/spoken'

/** A vulnerability with all that a query can ask of it, read from the tables one by one. */
export type Scanned = {
  id: number
  org_id: number | null
  state: string
  cveid: string
  summary: string
  keywords: string
  vendors: { id: number; name: string }[]
  products: { id: number; name: string; vendor: string }[]
  packages: { id: number; type: string; name: string }[]
  monitored: boolean
  groups: string[]
  status: string
  assignee: string
  snoozed: boolean
  affects: string | undefined
  claimed: string[]
  fixable: boolean
  risen: boolean
} & Record<string, unknown>

/** Whether a query holds for a vulnerability, asked of its values alone: no index, no full text, no plan. */
export function holds(query: Query, vuln: Scanned, now: Date): boolean {
  switch (query.kind) {
    case 'and':
      return query.terms.every((term) => holds(term, vuln, now))
    case 'or':
      return query.terms.some((term) => holds(term, vuln, now))
    case 'not':
      return !holds(query.term, vuln, now)
    case 'text':
      return [vuln.cveid, vuln.summary, vuln.keywords].some((text) => hasPhrase(text, query.text))
    case 'compare':
      return compares(query, vuln, now)
  }
}

const columns: Record<string, string> = {
  exploitable: 'is_exploitable',
  confirmed: 'is_confirmed',
  news: 'is_in_the_news',
  wild: 'is_in_the_wild',
  updated: 'updated_at',
  cwe: 'cwe_id',
}

function compares(comparison: Comparison, vuln: Scanned, now: Date): boolean {
  const { field, op, value } = comparison
  const own = vuln[columns[field] ?? field]
  const text = String(value)
  switch (field) {
    case 'kev':
      return (vuln['kev_added_at'] !== null) === value
    case 'monitored':
      return vuln.monitored === value
    case 'fixable':
      return vuln.fixable === value
    case 'ransomware':
      return (vuln['kev_ransomware'] === 1) === value
    case 'exploited_by':
      return text === 'any' ? vuln.claimed.length > 0 : vuln.claimed.includes(text)
    case 'severity':
      return vulnSeverity(vuln as unknown as Parameters<typeof vulnSeverity>[0]) === value
    case 'overdue':
      return compares({ kind: 'compare', field: 'due', op: 'lt', value: 'today' }, vuln, now) === value
    case 'risen':
      return vuln.risen === value
    case 'group':
      return vuln.groups.includes(text)
    case 'exploitable':
    case 'confirmed':
    case 'news':
    case 'wild':
      return (own === 1) === value
    case 'id':
    case 'cwe':
    case 'status':
    case 'assignee':
    case 'affects':
    case 'snoozed':
      return own === value
    case 'score':
    case 'cvss':
    case 'cvss3':
    case 'cvss4':
    case 'epss':
    case 'epss_percentile':
    case 'composite':
    case 'exploit_count':
      return typeof own === 'number' && order(op, own, Number(value))
    case 'published':
    case 'updated': {
      const { from = -Infinity, until = Infinity } = compareDateSpan(op, text, now)
      return typeof own === 'number' && own * 1000 >= from && own * 1000 < until
    }
    case 'due': {
      const { from = -Infinity, until = Infinity } = compareDaysAhead(op, text, now)
      const due = vuln['kev_due_at']
      return typeof due === 'string' && Date.parse(due) >= from && Date.parse(due) < until
    }
    case 'advisory':
      return [text, idWord(text)].some((one) => holds({ kind: 'text', text: one }, vuln, now))
    case 'cveid':
    case 'summary':
      return op === 'eq' ? own === text : beginsWord(String(own), text, op === 'like')
    case 'cvss_vector':
    case 'cvss3_vector':
      return typeof own === 'string' && isIn(own, text, op)
    case 'vendor':
      return vuln.vendors.some(({ name }) => isIn(name, text, op))
    case 'product':
      return vuln.products.some(
        (one) => isIn(one.name, text, op) || (op === 'eq' && `${one.vendor}:${one.name}` === text),
      )
    case 'package':
      return vuln.packages.some(
        (one) => isIn(one.name, text, op) || (op === 'eq' && `${one.type}:${one.name}` === text),
      )
    case 'vendor_id':
      return vuln.vendors.some(({ id }) => id === value)
    case 'product_id':
      return vuln.products.some(({ id }) => id === value)
    case 'package_id':
      return vuln.packages.some(({ id }) => id === value)
    case 'cpe': {
      const [, , , vendor, product] = text.split(':')
      return vuln.products.some(
        (one) => [one.vendor, '*'].includes(vendor ?? '') && (product === undefined || one.name === product),
      )
    }
    default:
      return metric(field, vuln) === text
  }
}

function order(op: Comparison['op'], own: number, limit: number) {
  if (op === 'gt') return own > limit
  if (op === 'gte') return own >= limit
  if (op === 'lt') return own < limit
  return op === 'lte' ? own <= limit : own === limit
}

const isIn = (own: string, text: string, op: Comparison['op']) =>
  op === 'eq' ? own === text : op === 'match' ? own.includes(text) : own.toLowerCase().includes(text.toLowerCase())

const sign = /[^\p{L}\p{N}]/u
const fold = (text: string, isFolded: boolean) => (isFolded ? text.toLowerCase() : text)

/** A part of a text is looked for where a word begins. */
function beginsWord(own: string, text: string, isFolded: boolean) {
  const [whole, part] = [fold(own, isFolded), fold(text, isFolded)]
  for (let at = whole.indexOf(part); at !== -1; at = whole.indexOf(part, at + 1))
    if (at === 0 || sign.test(whole.charAt(at - 1))) return true
  return false
}

// A scan asks for the same texts with each query.
function remember<Found>(find: (text: string) => Found) {
  const found = new Map<string, Found>()
  return (text: string) => {
    const known = found.get(text) ?? find(text)
    found.set(text, known)
    return known
  }
}

// Letters with and without accents are one.
const wordsIn = remember((text) =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean),
)
const spokenIn = remember(readSpoken)

/** Whether all words of a search, or their other names, are in the texts; the last may be the beginning of one. */
export function hasSearched({ cveid, summary, keywords }: Scanned, search: string) {
  const texts = [cveid, summary, keywords]
  const all = texts.flatMap(wordsIn)
  const spoken = spokenIn(search)
  const [last = ''] = spoken
    .flatMap(({ words }) => words)
    .slice(-1)
    .flatMap(wordsIn)
  return spoken.every(({ words, others }, at) => {
    const isTyped = words
      .flatMap(wordsIn)
      .every((word) =>
        all.some((one) =>
          at === spoken.length - 1 && word === last && word.length > 2 ? one.startsWith(word) : one === word,
        ),
      )
    return isTyped || others.some((phrases) => phrases.every((phrase) => texts.some((text) => hasPhrase(text, phrase))))
  })
}

function hasPhrase(own: string, text: string) {
  const [all, phrase] = [wordsIn(own), wordsIn(text)]
  return all.some((_, at) => phrase.every((word, place) => all[at + place] === word))
}

const words: Record<string, [column: 'access' | 'impact', place: number, letters: Record<string, string>]> = {
  access_vector: ['access', 0, { L: 'LOCAL', A: 'ADJACENT_NETWORK', N: 'NETWORK' }],
  access_complexity: ['access', 1, { L: 'LOW', M: 'MEDIUM', H: 'HIGH' }],
  access_authentication: ['access', 2, { N: 'NONE', S: 'SINGLE', M: 'MULTIPLE' }],
  impact_confidentiality: ['impact', 0, { N: 'NONE', P: 'PARTIAL', C: 'COMPLETE' }],
  impact_integrity: ['impact', 1, { N: 'NONE', P: 'PARTIAL', C: 'COMPLETE' }],
  impact_availability: ['impact', 2, { N: 'NONE', P: 'PARTIAL', C: 'COMPLETE' }],
}

function metric(field: string, vuln: Scanned) {
  const known = words[field]
  if (!known) throw new Error(`No plain scan of ${field}`)
  const [column, place, letters] = known
  return letters[String(vuln[column] ?? '').charAt(place)]
}
