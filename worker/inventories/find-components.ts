import { sql } from 'drizzle-orm'
import { readFlags, type Flagged } from '../db/flags'
import type { Db } from '../db/open'
import { isProvisional } from '../schema/vulns'
import { anyVuln } from '../exposure/note-due'
import { findInState } from '../exposure/running-releases'
import { findTargets } from '../exposure/targets'
import { findVersionSupports } from '../taxonomy/lifecycles'
import { isOpen } from '../exposure/open-findings'
import type { ComponentQuery, ComponentRow } from './finding-contract'
import { joinConditions, findingTables, isWanted, orderRows } from './finding-tables'
import type { InventoryPlace } from './inventory'
import { findListed } from './stored-list'

type Row = Flagged<
  Omit<ComponentRow, 'verdict' | 'path' | 'support'>,
  'kev' | 'is_matched' | 'is_pending' | 'is_worst_provisional'
> & { path: string }

const sorts = { name: sql`c.name`, findings: sql`open`, risk: sql`kev`, scope: sql`c.scope` }

/** Two pages of the longest. */
const storedComponents = 200

type Request = { name: string; query: ComponentQuery; now: Date }

export async function findComponents(db: Db, org_id: number, { name, query, now }: Request) {
  const { search, matched, compared, affected, end_of_life, sorted_by } = query
  const list = search ? null : ['components', matched, compared, affected, end_of_life, sorted_by].join(' ')
  const listed = { name, list, page: query, places: storedComponents, now }
  const { count, rows } = await findListed(db, org_id, listed, (place) => findPage(db, place, query, now))
  const supports = await findVersionSupports(
    db,
    rows.map((row) => ({ version: row.version ?? '', names: findTargets(row) })),
    now,
  )
  return {
    count,
    results: rows.map((row, at) => ({
      ...readFlags(row, 'kev', 'is_matched', 'is_pending', 'is_worst_provisional'),
      support: supports[at] ?? null,
      verdict: toVerdict(row),
      path: JSON.parse(row.path) as string[],
    })),
  }
}

function toVerdict({ is_pending, is_matched, open, unknown, unjudged_count }: Row): ComponentRow['verdict'] {
  if (is_pending) return 'pending'
  if (open) return 'affected'
  if (unknown) return 'unknown'
  return is_matched && !unjudged_count ? 'none' : 'not_compared'
}

const isInState = (isUnknown: boolean, found: string) =>
  isUnknown
    ? sql`c.id || ' ' || coalesce(c.version, '') NOT IN (SELECT j.value FROM json_each(${found}) j)`
    : sql`c.id IN (SELECT j.value FROM json_each(${found}) j)`

const isPending = sql`EXISTS (SELECT 1 FROM inventory_due d WHERE d.org_id = c.org_id AND d.inventory_id = c.inventory_id
  AND d.component_id = c.id AND d.vuln_id = ${sql.raw(String(anyVuln))})`

async function findPage(db: Db, { org_id, id }: InventoryPlace, query: ComponentQuery, now: Date) {
  const { end_of_life: asked } = query
  const inState = asked && (await findInState(db, org_id, { via: 'component', inventory_id: id, asked }, now))
  const word = query.search?.toLowerCase()
  const where = joinConditions(
    word && sql`(instr(lower(c.name), ${word}) OR instr(lower(coalesce(c.purl, '')), ${word}))`,
    isWanted(sql`c.is_matched`, query.matched),
    isWanted(sql`c.is_matched = 1 AND c.unjudged_count = 0 AND NOT ${isPending}`, query.compared),
    inState !== undefined && isInState(asked === 'unknown', inState),
    isWanted(sql`coalesce(w.open, 0) > 0`, query.affected),
  )
  return db.all<Row>(sql`
    SELECT c.id, c.name, c.version, c.purl, c.cpe, c.scope, c.licence, c.path, c.is_matched, ${isPending} AS is_pending, c.judged_count, c.unjudged_count,
      coalesce(w.open, 0) AS open, coalesce(w.unknown, 0) AS unknown, w.worst / 2 AS worst_score, w.worst % 2 = 0 AS is_worst_provisional,
      coalesce(w.kev, 0) AS kev
    FROM inventory_components c LEFT JOIN (
      SELECT f.component_id, count(CASE WHEN f.status = 'affected' THEN 1 END) AS open, count(CASE WHEN f.status = 'unknown' THEN 1 END) AS unknown,
        max(CASE WHEN f.status = 'affected' THEN v.score * 2 + 1 - ${isProvisional} END) AS worst,
        max(CASE WHEN f.status = 'affected' THEN v.kev_added_at IS NOT NULL ELSE 0 END) AS kev
      FROM ${findingTables(org_id, id, false)} AND ${sql.raw(isOpen)} GROUP BY f.component_id
    ) w ON w.component_id = c.id
    WHERE c.org_id = ${org_id} AND c.inventory_id = ${id} ${where}
    ORDER BY ${orderRows(sorts, query.sorted_by)}, coalesce(w.worst, -1) DESC, open DESC, c.name, c.id`)
}
