import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'

export type VectorField = 'cvss_vector' | 'cvss3_vector'

/** What stands before each letter of the base metrics, in the order of the standards (CVSS v2 guide section 2.4, v3.1 section 6). */
const notations: Record<VectorField, [before: string, letters: string][]> = {
  cvss_vector: [
    ['AV:', 'LAN'],
    ['/AC:', 'HML'],
    ['/Au:', 'MSN'],
    ['/C:', 'NPC'],
    ['/I:', 'NPC'],
    ['/A:', 'NPC'],
  ],
  cvss3_vector: [
    ['CVSS:3.', '01'],
    ['/AV:', 'NALP'],
    ['/AC:', 'LH'],
    ['/PR:', 'NLH'],
    ['/UI:', 'NR'],
    ['/S:', 'UC'],
    ['/C:', 'NLH'],
    ['/I:', 'NLH'],
    ['/A:', 'NLH'],
  ],
}

const raw = (value: number | string) => sql.raw(typeof value === 'number' ? String(value) : `'${value}'`)

/** D1 refuses patterns of more than 50 characters, so that a vector is looked at in parts. */
const partMetrics = 4

/** Whether a vector is more than base metrics, or has them in another order. */
export function isOther(field: VectorField): SQL {
  const metrics = notations[field]
  const vector = sql.raw(field)
  const parts: SQL[] = []
  let length = 0
  for (let at = 0; at < metrics.length; at += partMetrics) {
    const part = metrics.slice(at, at + partMetrics)
    const letters = part.reduce((sum, [before]) => sum + before.length + 1, 0)
    const pattern = part.map(([before, choice]) => `${before}[${choice}]`).join('')
    parts.push(sql`substr(${vector}, ${raw(length + 1)}, ${raw(letters)}) glob ${raw(pattern)}`)
    length += letters
  }
  return sql`not (length(${vector}) = ${raw(length)} and ${sql.join(parts, sql` and `)})`
}

/** The number of what the base metrics of a vector say, in whatever order and whatever follows; -1 where one is missing. */
export function vectorCode(field: VectorField): SQL {
  const vector = sql.raw(field)
  const places = notations[field].map(([before, letters]) => {
    const letter = sql`substr(${vector}, instr(${vector}, ${raw(before)}) + ${raw(before.length)}, 1)`
    return { place: sql`instr(${raw(letters)}, ${letter})`, count: raw(letters.length) }
  })
  const code = places.reduce((sum, { place, count }) => sql`(${sum} * ${count} + ${place} - 1)`, sql`0`)
  const said = sql.join(
    places.map(({ place }) => place),
    sql`, `,
  )
  return sql`case when min(${said}) > 0 then ${code} else -1 end`
}

const bases = new Map<VectorField, string[]>()

/** All that base metrics can say; the place of each is its number. */
export function baseVectors(field: VectorField): string[] {
  const known = bases.get(field)
  if (known) return known
  const said = notations[field].reduce(
    (begun, [before, letters]) => begun.flatMap((base) => [...letters].map((letter) => base + before + letter)),
    [''],
  )
  bases.set(field, said)
  return said
}
