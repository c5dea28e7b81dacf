import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { craStages, findNextStage, findStageDue, type CraMark } from '../domain/decisions/cra'
import { verdictAtRank } from '../domain/versions/verdict'
import { notFound } from '../http/errors'
import { pageOffset } from '../http/page'
import { isVisible } from '../watchlist/visible'
import type { CraClock, CraClockQuery, CraReport } from './contract'

type Head = { vuln_id: number; aware_at: string; fix_at: string | null; marks: string }
type Row = Omit<
  CraClock,
  'is_fix_stated' | 'is_done' | 'next' | 'stages' | 'not_needed' | 'inventories' | 'verdict'
> & {
  is_fix_stated: number
  is_done: number
  /** JSON. */
  reports: string
  inventories: string
  rank: number | null
}

const later = '9999'

/** An organization has no more than the catalogues name, so that they are put in order by reading all. */
export async function findCraClocks(db: Db, org_id: number, query: CraClockQuery) {
  const heads = await db.all<Head>(sql`
    SELECT c.vuln_id, c.aware_at, c.fix_at,
      (SELECT json_group_array(r.mark) FROM cra_reports r WHERE r.org_id = c.org_id AND r.vuln_id = c.vuln_id) AS marks
    FROM cra_clocks c CROSS JOIN vulns ON vulns.id = c.vuln_id AND ${isVisible(org_id)}
    WHERE c.org_id = ${org_id} AND c.is_done = ${Number(query.state === 'done')}`)
  const sign = query.sorted_by.startsWith('-') ? -1 : 1
  const keyed = heads.map((head) => ({
    id: head.vuln_id,
    key: query.sorted_by.endsWith('due') ? (findNext(head)?.due ?? later) : head.aware_at,
  }))
  keyed.sort((a, b) => (a.key === b.key ? b.id - a.id : a.key < b.key ? -sign : sign))
  const offset = pageOffset(query)
  const ids = keyed.slice(offset, offset + query.limit).map(({ id }) => id)
  return { count: keyed.length, results: await readClocks(db, org_id, ids) }
}

const findNext = ({ marks, ...times }: Head) => findNextStage(times, JSON.parse(marks) as CraMark[])

export async function getCraClock(db: Db, org_id: number, vuln_id: number) {
  const [clock] = await readClocks(db, org_id, [vuln_id])
  if (!clock) throw notFound('CRA clock')
  return clock
}

/** In the order of their ids. */
const readClocks = async (db: Db, org_id: number, ids: number[]): Promise<CraClock[]> =>
  (await db.all<Row>(selectClocks(org_id, ids))).map(toClock)

export const selectClocks = (org_id: number, ids: number[]) => sql`
    SELECT c.vuln_id, iif(vulns.org_id IS NULL, vulns.cveid, NULL) AS cveid, substr(vulns.summary, 1, 300) AS summary,
      c.started_at, c.aware_at, c.fix_at, c.is_fix_stated, c.is_done,
      (SELECT json_group_object(r.mark, json_object('done_at', r.done_at, 'noted_at', r.noted_at, 'by', u.username, 'note', r.note))
        FROM cra_reports r LEFT JOIN users u ON u.id = r.user_id WHERE r.org_id = c.org_id AND r.vuln_id = c.vuln_id) AS reports,
      (SELECT json_group_array(i.name) FROM ${ownPlaces}) AS inventories,
      (SELECT max(y.verdict) FROM ${ownPlaces}) AS rank
    FROM json_each(${JSON.stringify(ids)}) j CROSS JOIN cra_clocks c ON c.org_id = ${org_id} AND c.vuln_id = j.value
    CROSS JOIN vulns ON vulns.id = c.vuln_id AND ${isVisible(org_id)} ORDER BY j.key`

/** The clock as a batch left it, which asks for it last. */
export function readWritten(answers: D1Result[]) {
  const [row] = answers.at(-1)?.results ?? []
  if (!row) throw notFound('CRA clock')
  return toClock(row as Row)
}

/** Of a clock `c`: where a product of the organization has it. */
const ownPlaces = sql`inventory_vulns y CROSS JOIN own_products o ON o.org_id = y.org_id AND o.inventory_id = y.inventory_id
  CROSS JOIN inventories i ON i.org_id = y.org_id AND i.id = y.inventory_id AND i.removed_at IS NULL
  WHERE y.vuln_id = c.vuln_id AND y.org_id = c.org_id`

function toClock({ reports, inventories, rank, is_fix_stated, is_done, ...row }: Row): CraClock {
  const made = new Map(Object.entries(JSON.parse(reports) as Record<CraMark, CraReport>))
  return {
    ...row,
    is_fix_stated: is_fix_stated === 1,
    is_done: is_done === 1,
    next: findNextStage(row, [...made.keys()] as CraMark[]),
    stages: craStages.map((stage) => ({ stage, due: findStageDue(stage, row), report: made.get(stage) ?? null })),
    not_needed: made.get('not_needed') ?? null,
    inventories: JSON.parse(inventories) as string[],
    verdict: verdictAtRank(rank),
  }
}
