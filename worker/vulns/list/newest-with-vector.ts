import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { tableOf } from '../../db/values'
import type { Comparison } from '../../domain/query/ast'
import { textIs } from './query-sql'
import { newestOfKeys, shown } from './newest-of-keys'
import { baseVectors } from '../../schema/vector-codes'
import type { VectorField } from '../../schema/vector-codes'
import { codedVectors, indexOfVectors, isRarest, otherVectors } from '../../schema/vector-parts'

/** So many are looked up one by one; what more of them hold is met soon enough on the way through the list. */
const mostCodes = 700
/** Vectors that lack a base metric. */
const codeOfNone = -1

/** The newest vulnerabilities whose vector is a text or has texts in it, which is still to be tested of each. */
export function newestWithVector(field: VectorField, comparisons: Comparison[]): SQL {
  const texts = comparisons.map(({ op, value }) => ({ op, text: String(value) }))
  for (const { op, text } of texts) {
    const codes = codesOf(field, op, text)
    if (!codes.length) return newestOfKeys(otherVectors(field), othersThat(field, op, text))
    if (op === 'eq') return newestOfKeys(codedVectors(field), tableOf(codes))
    if ((saysSeveral(text) || isRarest(field, text)) && codes.length <= mostCodes)
      return newestOfKeys(codedVectors(field), tableOf([...codes, codeOfNone]))
  }
  return newestOf(
    indexOfVectors(
      field,
      texts.map(({ text }) => text),
    ),
  )
}

/** The numbers of the base metrics that are, or have in them, a text. */
function codesOf(field: VectorField, op: Comparison['op'], text: string): number[] {
  const all = baseVectors(field)
  if (op === 'eq') return all.includes(text) ? [all.indexOf(text)] : []
  const fold = (one: string) => (op === 'match' ? one : one.toLowerCase())
  const said = fold(text)
  return all.flatMap((base, code) => (fold(base).includes(said) ? [code] : []))
}

function othersThat(field: VectorField, op: Comparison['op'], text: string) {
  if (op === 'eq') return sql`(select ${text} as item)`
  const { index, key, where } = otherVectors(field)
  const first = (above: SQL) =>
    sql`(select min(${key}) from vulns indexed by ${sql.raw(index)} where ${shown} and ${where} and ${above})`
  return sql`(
    with recursive said(item) as (
      select ${first(sql`true`)} union all select ${first(sql`${key} > item`)} from said where item is not null
    ) select item from said where ${textIs(sql`item`, op, text)})`
}

/** Whole metrics only: a part of one may stand among those that follow the base metrics. */
const saysSeveral = (text: string) => /^\/?(?:[\w.]+:[\w.]+\/)+[\w.]+:[\w.]+\/?$/.test(text)

const newestOf = ({ index, where }: { index: string; where: SQL }) => sql`(
    select id as vuln_id from vulns indexed by ${sql.raw(index)} where ${where} and ${shown}
    order by updated_at desc, id desc limit -1) l`
