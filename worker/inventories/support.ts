import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { isEnding } from '../domain/versions/end-of-life'
import { pageOffset } from '../http/page'
import type { Paging } from '../http/page'
import { findVersionSupport, soonAfter, toLifecycle } from '../taxonomy/lifecycles'
import { findDistributions } from './distributions'
import { requireInventory } from './inventory'
import type { SupportRow } from './support-contract'

type Request = { name: string; page: Paging; now: Date }
type Row = { component_id: number; component: string; version: string; lifecycle_id: string; pinned: string | null }

export async function findUnsupported(db: Db, org_id: number, { name, page, now }: Request) {
  const { id } = await requireInventory(db, org_id, name)
  const [rows, stored, distributions] = await Promise.all([
    findRows(db, org_id, id),
    findStored(db, org_id, id),
    findDistributions(db, org_id, id, now),
  ])
  const lifecycles = new Map(stored.map((one) => [one.id, toLifecycle(one, now)]))
  const known = new Map<number, SupportRow>()
  for (const { lifecycle_id, pinned, ...component } of rows) {
    const product = lifecycles.get(lifecycle_id)
    const support = product && findVersionSupport({ ...product, pinned }, component.version, now)
    if (support) known.set(component.component_id, { ...component, ...support })
  }
  const soon = soonAfter(now)
  const ending = [...known.values()].filter(({ release }) => isEnding(release, soon))
  ending.sort((a, b) => compare(sortKey(a), sortKey(b)) || a.component_id - b.component_id)
  const from = pageOffset(page)
  return {
    results: ending.slice(from, from + page.limit),
    count: ending.length,
    count_is_exact: true,
    known: known.size,
    distributions,
  }
}

const sortKey = ({ release: { state, fixes_until } }: SupportRow) =>
  `${{ ended: 0, extended: 1, security: 2, supported: 2 }[state]} ${fixes_until ?? ''}`
const compare = (a: string, b: string) => Number(a > b) - Number(a < b)

/** From the few names that have a lifecycle to the components: each is one look into the key of the matches. */
const matched = (org_id: number, inventory_id: number) => sql`lifecycle_names n CROSS JOIN inventory_matches m
  ON m.kind = n.kind AND m.first = n.first AND m.name = n.name AND m.org_id = ${org_id} AND m.inventory_id = ${inventory_id}`

const findRows = (db: Db, org_id: number, inventory_id: number) =>
  db.all<Row>(sql`
    SELECT c.id AS component_id, c.name AS component, c.version, n.lifecycle_id, n.release AS pinned FROM ${matched(org_id, inventory_id)}
    CROSS JOIN inventory_components c ON c.org_id = m.org_id AND c.inventory_id = m.inventory_id AND c.id = m.component_id
    WHERE c.version IS NOT NULL ORDER BY n.lifecycle_id DESC`)

const findStored = (db: Db, org_id: number, inventory_id: number) =>
  db.all<Parameters<typeof toLifecycle>[0]>(sql`
    SELECT id, label, releases FROM lifecycles WHERE id IN (SELECT n.lifecycle_id FROM ${matched(org_id, inventory_id)})`)
