import { sql } from 'drizzle-orm'
import { matchAlternatives } from '../db/fts'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { famousWords } from '../domain/names/famous'
import { findNearestWord } from '../domain/query/nearest'
import { readSpoken } from '../domain/query/spoken'

/** So many vendors and products, those with the most vulnerabilities, are names that somebody may have meant. */
const knownNames = { vendors: 1_500, products: 3_000 }
const maxCorrected = 4
/** Shorter words are near to too many others. */
const shortest = 4
/** From so many letters on two may be wrong. */
const longWord = 8

/** The search with the nearest known name for each word that no vulnerability has; null where there is none. */
export async function findCorrected(db: Db, search: string): Promise<string | null> {
  const words = readSpoken(search).flatMap(({ words: own, others }) =>
    own.map((word) => ({ word, isKnown: others.length > 0 || word.length < shortest })),
  )
  const asked = words.flatMap(({ word, isKnown }) => (isKnown ? [] : [word])).slice(0, maxCorrected)
  const unknown = asked.length ? await findUnknown(db, asked) : []
  if (!unknown.length) return null
  const names = await listKnown(db)
  const nearest = new Map(unknown.map((word) => [word, findNearestWord(word, names, word.length < longWord ? 1 : 2)]))
  if (![...nearest.values()].some((name) => name !== undefined)) return null
  return words.map(({ word }) => nearest.get(word) ?? word).join(' ')
}

async function findUnknown(db: Db, words: string[]) {
  const found = await db.$client.batch<{ is_known: 0 | 1 }>(
    words.map((word) => {
      const match = matchAlternatives([[[{ text: word, isBeginning: true }]]])
      return statement(db, sql`SELECT EXISTS (SELECT 1 FROM vulns_fts WHERE vulns_fts MATCH ${match}) AS is_known`)
    }),
  )
  return words.filter((_, at) => !found[at]?.results[0]?.is_known)
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
