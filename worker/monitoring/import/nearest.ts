import { sql, type SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import type { Wanted } from '../../domain/names/watch-item'
import { itemTables } from '../../watchlist/item-tables'
import { countEdits } from '../../domain/query/nearest'

/** For so many names others are looked for; so many candidates are compared with each, and so many offered. */
const maxNames = 100
const maxCandidates = 150
const maxOffered = 3
const maxLetters = 100

export async function findNearest(db: Db, wanted: Wanted[]): Promise<Map<string, string[]>> {
  const named = wanted.filter(({ kind }) => kind !== 'vuln').slice(0, maxNames)
  const statements = named.map((one) => statement(db, candidates(one)))
  const answers = statements.length ? await db.$client.batch<{ value: string }>(statements) : []
  return new Map(
    named.map(({ kind, value }, at) => {
      const names = [...new Set(answers[at]?.results.map((row) => row.value) ?? [])]
      return [`${kind} ${value}`, pickNearest(value, names)]
    }),
  )
}

// Names that begin alike, and of products and packages also those of the same name elsewhere.
function candidates(wanted: Wanted): SQL {
  const { kind } = wanted
  if (kind === 'vuln') return sql`SELECT '' AS value WHERE FALSE`
  const { items, value } = itemTables[kind]
  const find = (where: SQL, limit = maxCandidates) =>
    sql`SELECT * FROM (SELECT ${value} AS value FROM ${items} i WHERE ${where} LIMIT ${limit})`
  if (kind === 'vendor') return find(beginsAlike(wanted.names[0] ?? ''))
  const [first = '', name = ''] = wanted.names[0] ?? []
  const ofFirst =
    kind === 'product'
      ? find(sql`i.vendor = ${first}`, 4 * maxCandidates)
      : find(sql`i.type = ${first} AND ${beginsAlike(name)}`)
  return sql`${find(sql`i.name = ${name}`)} UNION ALL ${ofFirst} UNION ALL ${find(beginsAlike(name))}`
}

const beginLetters = 3
function beginsAlike(name: string) {
  const start = [...name].slice(0, beginLetters).join('')
  return sql`(i.name >= ${start} AND i.name < ${`${start}\u{10ffff}`})`
}

function pickNearest(value: string, names: string[]) {
  const ranked = names.map((name) => ({
    name,
    distance: countEdits(value.slice(0, maxLetters), name.slice(0, maxLetters)),
  }))
  // Half of the letters must be right.
  const near = ranked.filter(({ name, distance }) => distance <= Math.max(value.length, name.length) / 2)
  return near
    .toSorted((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, maxOffered)
    .map(({ name }) => name)
}
