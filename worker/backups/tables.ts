import { getTableName, sql, type SQL } from 'drizzle-orm'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { ownDetails } from '../merge/remove-own'
import { allTables } from '../schema/all'
import type { Row } from './store'

type Column = { name: string; isBlob: boolean; isRequired: boolean; parent: string | null }
export type KeptTable = { name: string; columns: Column[]; key: string[] }

/** No backup holds sessions, tokens or secrets: people sign in again, and make new tokens. Mails hold links, and none is sent again. */
export const doors = ['sessions', 'links', 'api_tokens', 'mails']
/** Of the people of an organization. */
const ofPeople = new Map([
  ['users', 'id'],
  ['passkeys', 'user_id'],
  ['recovery_codes', 'user_id'],
])
const ofDetails = new Set(ownDetails)

/** Knowledge has other numbers in another database: a backup holds the names of all that its rows refer to, each in two parts. */
export const namesPart = 'names'
export const namesByKind = {
  vendor: "SELECT id, '' AS first, name FROM vendors",
  product: 'SELECT id, vendor AS first, name FROM products',
  package: 'SELECT id, type AS first, name FROM packages',
  bulletin: 'SELECT id, source AS first, publicid AS name FROM bulletins',
  vuln: "SELECT id, '' AS first, cveid AS name FROM vulns",
} as const
export type NamedKind = keyof typeof namesByKind
export const namedKinds = Object.keys(namesByKind) as NamedKind[]

/** The kind of thing of which a column holds the number. */
export function findNamedKind(table: string, column: string, row: Row) {
  const kind = column === 'item_id' ? row['kind'] : table === 'vulns' ? column === 'id' && 'vuln' : column.slice(0, -3)
  return namedKinds.find((known) => known === kind)
}

/** Their rows keep their numbers in another database, as others hold them; nobody else's rows are among them. */
export const keptNumbers = ['alerts', 'comments', 'decision_changes', 'deliveries', 'saved_views']

/** Filters of a saved view that hold numbers of what everybody knows. */
export const namedParams = { vendor: 'vendor', product: 'product', package: 'package', id: 'vuln' } as const

function toKept(table: SQLiteTable): KeptTable {
  const { name, columns, primaryKeys, foreignKeys } = getTableConfig(table)
  const parents = new Map(
    foreignKeys.flatMap((foreignKey) => {
      const { columns: from, foreignTable } = foreignKey.reference()
      return from.map((column) => [column.name, getTableName(foreignTable)] as const)
    }),
  )
  const [composed] = primaryKeys
  return {
    name,
    key: (composed?.columns ?? columns.filter(({ primary }) => primary)).map((column) => column.name),
    columns: columns.map((column) => ({
      name: column.name,
      isBlob: column.getSQLType() === 'blob',
      isRequired: column.notNull,
      parent: parents.get(column.name) ?? null,
    })),
  }
}

const isKept = ({ name, columns }: KeptTable) =>
  !doors.includes(name) &&
  (name === 'orgs' || ofPeople.has(name) || ofDetails.has(name) || columns.some((column) => column.name === 'org_id'))

/** Every table with rows of an organization, those first that others refer to. Its own vulnerabilities come before their details, which name no parent. */
export const listKeptTables = () =>
  parentsFirst(
    allTables
      .map(toKept)
      .filter(isKept)
      .toSorted((first, second) => Number(second.name === 'vulns') - Number(first.name === 'vulns')),
  )

function parentsFirst(tables: KeptTable[]) {
  const left = new Map(tables.map((table) => [table.name, table]))
  const sorted: KeptTable[] = []
  while (left.size) {
    const isNext = ({ name, columns }: KeptTable) =>
      columns.every(({ parent }) => parent === null || parent === name || !left.has(parent))
    const next = [...left.values()].filter(isNext)
    if (!next.length) throw new Error(`Tables refer to each other in a circle: ${[...left.keys()].join(', ')}`)
    for (const table of next) left.delete(table.name)
    sorted.push(...next)
  }
  return sorted
}

/** Rows of the table that are of the organization. */
export function isOwn({ name, columns }: KeptTable, org_id: number): SQL {
  if (name === 'orgs') return sql`id = ${org_id}`
  if (columns.some((column) => column.name === 'org_id')) return sql`org_id = ${org_id}`
  const person = ofPeople.get(name)
  return person
    ? sql`${sql.identifier(person)} IN (SELECT user_id FROM members WHERE org_id = ${org_id})`
    : sql`vuln_id IN (SELECT id FROM vulns WHERE org_id = ${org_id})`
}
