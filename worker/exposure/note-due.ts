import { and, asc, eq, gt, sql, type SQL } from 'drizzle-orm'
import { bulk, jsonChunks } from '../db/bulk'
import { abortUnless } from '../db/guard'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { inventoryDue } from '../schema/inventories'

type Name = [first: string, name: string]

/** Changes by a merge to statements on the versions of packages or products. */
type Touched = {
  kind: 'package' | 'product'
  /** Statements that are new or say something else. */
  ranges: [cveid: string, ...name: Name, ...rest: unknown[]][]
  /** Statements that are gone, by the ids of the vulnerability and of the package or product. */
  gone: [vuln_id: number, id: number, ...rest: unknown[]][]
}

/** So many components that an organization has under one name are noted one by one. Of more, each that is the only one of its inventory. */
const notedAlone = 100
/** Stands for all components of its inventory that have a name of the vulnerability: steps write them out (`spreadDue`). */
export const allComponents = -1
/** The component of a row that went: whether another one has its vulnerability shows once all are judged. */
export const goneComponent = 0
/** The vulnerability of a row that stands for all. */
export const anyVuln = 0

/** Only the components that are about the touched vulnerabilities are judged again. A merge writes no more for an organization that has a name very often. */
export function noteInventories(db: Db, { kind, ranges, gone }: Touched) {
  const [table, first] = kind === 'package' ? ['packages', 'type'] : ['products', 'vendor']
  const note = (touched: string, rows: unknown[]) =>
    bulk(
      db,
      `INSERT INTO inventory_due(org_id, inventory_id, component_id, vuln_id)
       WITH t AS MATERIALIZED (${touched}), w AS MATERIALIZED (
         SELECT m.first, m.name, m.org_id, m.inventory_id, count(*) AS own, sum(count(*)) OVER (PARTITION BY m.first, m.name, m.org_id) AS total
         FROM (SELECT DISTINCT first, name FROM t) n CROSS JOIN inventory_matches m ON m.kind = ?2 AND m.first = n.first AND m.name = n.name
         GROUP BY 1, 2, 3, 4)
       SELECT w.org_id, w.inventory_id, coalesce(m.component_id, ${allComponents}), t.vuln_id
       FROM t CROSS JOIN w ON w.first = t.first AND w.name = t.name AND (t.org_id IS NULL OR t.org_id = w.org_id)
       LEFT JOIN inventory_matches m ON (w.own = 1 OR w.total <= ${notedAlone}) AND m.kind = ?2 AND m.first = w.first AND m.name = w.name
         AND m.org_id = w.org_id AND m.inventory_id = w.inventory_id
       WHERE TRUE ON CONFLICT DO UPDATE SET noted = noted + 1`,
      rows,
      kind,
    )
  return [
    ...note(
      `SELECT v.id AS vuln_id, v.org_id, j.value->>1 AS first, j.value->>2 AS name
       FROM jsonb_each(?1) j CROSS JOIN vulns v ON v.cveid = j.value->>0`,
      ranges.map(([cveid, one, name]) => [cveid, one, name]),
    ),
    ...note(
      `SELECT j.value->>0 AS vuln_id, NULL AS org_id, n.${first} AS first, n.name
       FROM jsonb_each(?1) j CROSS JOIN ${table} n ON n.id = j.value->>1`,
      gone.map(([vuln_id, id]) => [vuln_id, id]),
    ),
  ]
}

type Place = { org_id: number; inventory_id: number }
/** A component that is to be compared with a vulnerability, and how often that was noted. */
export type DuePair = { component_id: number; vuln_id: number; noted: number }

const putDue = `INSERT INTO inventory_due(org_id, inventory_id, component_id, vuln_id)
  SELECT ?2, ?3, value->>0, value->>1 FROM jsonb_each(?1) WHERE TRUE ON CONFLICT DO`

/** Of each a component and a vulnerability. A row that stands already stays. */
export const noteDue = (db: Db, { org_id, inventory_id }: Place, noted: number[][]) =>
  bulk(db, `${putDue} NOTHING`, noted, org_id, inventory_id)

/** A row that stands already is judged once more, whoever judges it now. */
export const noteAgain = (db: Db, { org_id, inventory_id }: Place, noted: number[][]) =>
  bulk(db, `${putDue} UPDATE SET noted = noted + 1`, noted, org_id, inventory_id)

/** The rows of the first inventory that has some which are wanted, and how many of all its organization has, up to `limit`. */
export async function findFirstDue(db: Db, org: number, isWanted: SQL | undefined, limit: number) {
  const { org_id, inventory_id, component_id, vuln_id } = inventoryDue
  const due = await db
    .select()
    .from(inventoryDue)
    .where(and(eq(org_id, org), gt(inventory_id, 0), isWanted))
    .orderBy(asc(inventory_id), asc(component_id), asc(vuln_id))
    .limit(limit)
  const [first] = due
  if (!first) return null
  const place = { org_id: org, inventory_id: first.inventory_id }
  return { place, pairs: due.filter((pair) => pair.inventory_id === place.inventory_id), count: due.length }
}

/** Undoes its batch when another one judged some of them: it may have known more. A row that was only noted again is judged again. */
export const requireDue = (db: Db, { org_id, inventory_id }: Place, pairs: DuePair[]) =>
  jsonChunks(pairs.map(({ component_id, vuln_id }) => [component_id, vuln_id])).map((json) =>
    statement(
      db,
      abortUnless(
        sql`NOT EXISTS (SELECT 1 FROM json_each(${json}) j LEFT JOIN inventory_due d ON d.org_id = ${org_id} AND d.inventory_id = ${inventory_id}
          AND d.component_id = j.value ->> 0 AND d.vuln_id = j.value ->> 1 WHERE d.org_id IS NULL)`,
        'inventory',
      ),
    ),
  )

/** Of what was noted again since it was read, the row stays. */
export const removeDue = (db: Db, { org_id, inventory_id }: Place, pairs: DuePair[]) =>
  bulk(
    db,
    `DELETE FROM inventory_due WHERE (org_id, inventory_id, component_id, vuln_id, noted) IN (
       SELECT ?2, ?3, value->>0, value->>1, value->>2 FROM jsonb_each(?1))`,
    pairs.map(({ component_id, vuln_id, noted }) => [component_id, vuln_id, noted]),
    org_id,
    inventory_id,
  )

/** The organizations among `rows`: leaps over a key that begins with them, as one may have a million rows. */
export const leapOrgs = (rows: SQL) => sql`WITH RECURSIVE leap(org_id) AS (SELECT min(org_id) FROM ${rows}
    UNION ALL SELECT (SELECT min(org_id) FROM ${rows} AND org_id > leap.org_id) FROM leap WHERE leap.org_id IS NOT NULL)
  SELECT org_id FROM leap WHERE org_id IS NOT NULL`

/** The organizations of which something waits to be judged. */
export const dueOrgs = leapOrgs(sql`inventory_due WHERE TRUE`)
