import { and, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { VulnQuery, VulnSort } from '../contract'

/** Where a page comes from: rows of `id`. */
export type Source = { ids: (limit: number, offset: number) => SQL }

type Sort = VulnQuery['sorted_by']
const fieldOf = (sorted_by: Sort) => sorted_by.replace(/^-/, '') as VulnSort
const directionOf = (sorted_by: Sort) => (sorted_by.startsWith('-') ? sql`desc` : sql`asc`)

/** Columns that an index sorts; the others are of two kinds, which are listed one after the other. */
const sorted: Partial<Record<VulnSort, SQL[]>> = {
  id: [],
  cveid: [sql`vulns.cveid`],
  score: [sql`vulns.score`, sql`vulns.updated_at`],
  epss: [sql`vulns.epss`],
  published: [sql`vulns.published`],
  updated_at: [sql`vulns.updated_at`],
  summary: [sql`substr(vulns.summary, 1, 4)`, sql`vulns.summary`],
}

const orderBy = (columns: SQL[], direction: SQL) =>
  sql.join(
    [...columns, sql`vulns.id`].map((column) => sql`${column} ${direction}`),
    sql`, `,
  )

/** `isMonitored` asks each row; `monitored` (as `l`, with vuln_id) holds all of which it is true, newest first. */
export type Asked = { where: SQL; isMonitored: SQL; monitored: SQL; sorted_by: Sort }

/** Walks the index of the order and tests each row; an order by what is true of few lists these first, then the others. */
export function walk({ where, isMonitored, monitored, sorted_by }: Asked): Source {
  const [field, direction] = [fieldOf(sorted_by), directionOf(sorted_by)]
  const columns = sorted[field]
  if (columns)
    return {
      ids: (limit, offset) =>
        sql`select vulns.id as id from vulns where ${where} order by ${orderBy(columns, direction)} limit ${limit} offset ${offset}`,
    }
  const isDescending = sorted_by.startsWith('-')
  const [has, order, hasNot = sql`not ${has}`] = halvesOf(field, isMonitored)
  const half = (is: SQL, by: SQL[], rows: number) =>
    sql`select id from (select vulns.id as id from vulns where ${and(where, is)} order by ${orderBy(by, direction)} limit ${rows})`
  const rest = [sql`vulns.updated_at`]
  return {
    ids: (limit, offset) => {
      const rows = limit + offset
      const isMerged = field === 'monitored' && isDescending
      const merged = () => sql`select id from (${inOrder(monitored, where).ids(rows, 0)})`
      const [yes, no] = [isMerged ? merged() : half(has, order, rows), half(hasNot, rest, rows)]
      const halves = isDescending ? [yes, no] : [no, yes]
      return sql`${sql.join(halves, sql` union all `)} limit ${limit} offset ${offset}`
    },
  }
}

function halvesOf(field: VulnSort, isMonitored: SQL): [has: SQL, order: SQL[], hasNot?: SQL] {
  const updated = sql`vulns.updated_at`
  if (field === 'monitored') return [isMonitored, [updated]]
  if (field === 'cvss' || field === 'cvss3') {
    const score = sql.raw(`vulns.${field}`)
    return [sql`${score} is not null`, [score, updated], sql`${score} is null`]
  }
  if (field === 'exploit_count') return [sql`vulns.exploit_count > 0`, [sql`vulns.exploit_count`, updated]]
  return [sql`${sql.raw(`vulns.${field}`)} = 1`, [updated]]
}

/** Few rows (of `id`) are sorted as they are. */
export function sortFew(few: SQL, { where, isMonitored, sorted_by }: Asked): Source {
  const [field, direction] = [fieldOf(sorted_by), directionOf(sorted_by)]
  const columns = sorted[field] ?? [
    field === 'monitored' ? isMonitored : sql.raw(`vulns.${field}`),
    sql`vulns.updated_at`,
  ]
  return {
    ids: (limit, offset) =>
      sql`select vulns.id as id from ${few} few cross join vulns where ${and(sql`vulns.id = few.id`, where)} order by ${orderBy(columns, direction)} limit ${limit} offset ${offset}`,
  }
}

/** Few rows, in the order of their ids. */
export const keepOrder = (ids: number[], where: SQL): Source => ({
  ids: (limit, offset) =>
    sql`select vulns.id as id from json_each(${JSON.stringify(ids)}) few cross join vulns where ${and(sql`vulns.id = few.value`, where)} order by few.key limit ${limit} offset ${offset}`,
})

/** What `from` (as `l`, with vuln_id) hands out in order already. */
export const inOrder = (from: SQL, where: SQL): Source => ({
  ids: (limit, offset) =>
    sql`select distinct vulns.id as id from ${from} cross join vulns where ${and(sql`vulns.id = l.vuln_id`, where)} limit ${limit} offset ${offset}`,
})
