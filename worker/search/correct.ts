import { sql } from 'drizzle-orm'
import { matchAlternatives, readAlternatives, type Alternatives } from '../db/fts'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { famousWords } from '../domain/names/famous'
import { findNearestWord } from '../domain/query/nearest'
import { readSpoken } from '../domain/query/spoken'
import { readSpokenFilters } from '../domain/query/spoken-filters'

/** So many vendors and products, those with the most vulnerabilities, are names that somebody may have meant. */
const knownNames = { vendors: 1_500, products: 3_000 }
const maxCorrected = 4
const maxJoined = 6
/** Shorter words are near to too many others. */
const shortest = 4
/** From so many letters on two may be wrong. */
const longWord = 8

type Corrected = { search: string; q: string }

/**
 * Corrections of a search that finds nothing: words are one (`net scaler`), are spelled like the nearest known name, or name a filter, or are
 * more than any text says. Of these the first that finds something; null if none does.
 */
export async function findCorrected(db: Db, search: string): Promise<Corrected | null> {
  const spelled = await correctSpelling(db, search)
  const { q, rest } = readSpokenFilters(spelled)
  const fewer = await listFewer(db, rest)
  const all = [
    ...[...joinPairs(search), spelled].map((joined) => ({ search: joined, q: '' })),
    { search: rest, q },
    ...fewer.map((shorter) => ({ search: shorter, q })),
  ]
  const others = all.filter((candidate) => candidate.q || ![search, ''].includes(candidate.search))
  const found = await findKnown(
    db,
    others.map((candidate) => readAlternatives(candidate.search)),
  )
  return others.find((_, at) => found[at]) ?? null
}

/** The search with two neighbours as one word. */
function joinPairs(search: string) {
  const words = readSpoken(search).flatMap(({ words: own }) => own)
  return words.slice(1, maxJoined + 1).map((_, at) => words.toSpliced(at, 2, `${words[at]}${words[at + 1]}`).join(' '))
}

/** Each word that no vulnerability has becomes the nearest known name. */
async function correctSpelling(db: Db, search: string) {
  const words = readSpoken(search).flatMap(({ words: own, others }) =>
    own.map((word) => ({ word, isKnown: others.length > 0 || word.length < shortest })),
  )
  const asked = words.flatMap(({ word, isKnown }) => (isKnown ? [] : [word])).slice(0, maxCorrected)
  const known = await findKnown(
    db,
    asked.map((word) => [[[{ text: word, isBeginning: true }]]]),
  )
  const unknown = asked.filter((_, at) => !known[at])
  if (!unknown.length) return search
  const names = await listKnown(db)
  const nearest = new Map(unknown.map((word) => [word, findNearestWord(word, names, word.length < longWord ? 1 : 2)]))
  return words.map(({ word }) => nearest.get(word) ?? word).join(' ')
}

/** The search without the last word that is no name of a vendor or product, without the last two, and so on: the names stay. */
async function listFewer(db: Db, search: string) {
  const units = readSpoken(search).map(({ words }) => words.join(' '))
  const rows = await db.all<{ name: string }>(sql`SELECT j.value AS name FROM json_each(${JSON.stringify(units)}) j
    WHERE EXISTS (SELECT 1 FROM vendors v WHERE v.name = lower(j.value)) OR EXISTS (SELECT 1 FROM products p WHERE p.name = lower(j.value))`)
  const names = new Set(rows.map(({ name }) => name))
  if (!names.size) return []
  const others = units.filter((unit) => !names.has(unit))
  return others.map((_, at) => {
    const kept = new Set(others.slice(0, others.length - at - 1))
    return units.filter((unit) => names.has(unit) || kept.has(unit)).join(' ')
  })
}

/** For each of the searches whether any vulnerability has its words; one without words asks for none. */
async function findKnown(db: Db, searches: Alternatives[][]) {
  if (!searches.length) return []
  const found = await db.$client.batch<{ is_known: 0 | 1 }>(
    searches.map((choices) => {
      const match = matchAlternatives(choices)
      return statement(
        db,
        match
          ? sql`SELECT EXISTS (SELECT 1 FROM vulns_fts WHERE vulns_fts MATCH ${match}) AS is_known`
          : sql`SELECT 1 AS is_known`,
      )
    }),
  )
  return found.map(({ results }) => results[0]?.is_known === 1)
}

/** Words of names, those of the largest first. */
async function listKnown(db: Db) {
  const largest = (table: 'vendors' | 'products') =>
    statement(db, sql`SELECT name FROM ${sql.raw(table)} ORDER BY vulns_count DESC LIMIT ${knownNames[table]}`)
  const [vendors, products] = await db.$client.batch<{ name: string }>([largest('vendors'), largest('products')])
  const names = [...(vendors?.results ?? []), ...(products?.results ?? [])]
  return [...new Set([...famousWords, ...names.flatMap(({ name }) => name.split(/[^a-z0-9]+/))])].filter(
    (word) => word.length >= shortest,
  )
}
