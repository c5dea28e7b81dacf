import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import { span } from './rules-then'

type Place = { org_id: number; vuln_id: number }
type Planned = Place & { created_at: string; updated_at: string }
type Row = Place & {
  scope: 'vulnerability' | 'alerts'
  /** When it gave way to another one. */
  changed_at: string
  /** Null where nothing was decided. */
  verdict: string | null
  last_day: string | null
  ended_at: string | null
  decided_at: string | null
}

const columns = ['verdict', 'last_day', 'ended_at', 'decided_at']
const read = (from: (name: string) => string) => sql.raw(columns.map((name) => `${from(name)} AS ${name}`).join(', '))
const isOfWhole = sql`z.scope IN ('vulnerability', 'alerts') AND z.inventory_id = 0 AND z.component_id = 0`
const forever = '9999'

/** Whether decisions kept alerts from being told when they were planned, from those that stand and the history of them. */
export async function findQuietThen(db: Db, places: Planned[]) {
  const keys = [...new Set(places.map(({ org_id, vuln_id }) => JSON.stringify([vuln_id, org_id])))]
  const pairs = sql`json_each(${`[${keys.join()}]`}) p`
  const rows = await db.all<Row>(sql`
    SELECT z.org_id, z.vuln_id, z.scope, ${forever} AS changed_at, 0 AS id, ${read((name) => `z.${name}`)}
    FROM ${pairs} CROSS JOIN decisions z ON z.vuln_id = p.value ->> 0 AND z.org_id = p.value ->> 1 AND ${isOfWhole} AND z.author = ''
    UNION ALL
    SELECT z.org_id, z.vuln_id, z.scope, z.at, z.id, ${read((name) => `z.before ->> '${name}'`)}
    FROM ${pairs} CROSS JOIN decision_changes z ON z.org_id = p.value ->> 1 AND z.vuln_id = p.value ->> 0 AND ${isOfWhole}
    ORDER BY changed_at, id`)
  const byPlace = Map.groupBy(rows, ({ org_id, vuln_id }) => `${org_id} ${vuln_id}`)

  return ({ org_id, vuln_id, created_at, updated_at }: Planned): 'quiet' | 'awake' | 'unsure' => {
    const own = byPlace.get(`${org_id} ${vuln_id}`) ?? []
    const [from, to] = [shift(created_at, -span.before_s), shift(updated_at, span.after_s)]
    const isNear = (at: string | null) => at !== null && at >= from && at <= to
    if (own.some(({ changed_at, ended_at }) => isNear(changed_at) || isNear(ended_at))) return 'unsure'
    const standing = (['vulnerability', 'alerts'] as const).flatMap(
      (scope) => own.find((row) => row.scope === scope && row.changed_at > to) ?? [],
    )
    const isDoubtful = ({ last_day, decided_at }: Row) =>
      (last_day !== null && last_day >= from.slice(0, 10) && last_day < to.slice(0, 10)) ||
      (decided_at !== null && decided_at > to)
    if (standing.some(isDoubtful)) return 'unsure'
    return standing.some((row) => isQuiet(row, to)) ? 'quiet' : 'awake'
  }
}

const shift = (at: string, seconds: number) => stamp(plusSeconds(new Date(at), seconds))

function isQuiet({ scope, verdict, last_day, ended_at }: Row, at: string) {
  if (last_day !== null && last_day < at.slice(0, 10)) return false
  return scope === 'alerts'
    ? verdict !== null && (ended_at === null || ended_at > at)
    : verdict === 'fixed' || verdict === 'not_interesting'
}
