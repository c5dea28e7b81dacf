import { sql } from 'drizzle-orm'
import type { By } from '../auth/audited-by'
import type { Db } from '../db/open'
import { policies } from '../domain/people/access'
import { requireVuln } from '../watchlist/visible'
import type { DecisionEntry } from './contract'
import { isForManagers } from './undo'
import { sealUndo } from './undo-token'
import { decidedJson, isDecidedHere, parseBody, type DecisionBody } from './write'

const maxHistory = 100

type Row = Pick<DecisionEntry, 'scope' | 'inventory' | 'component' | 'version' | 'at' | 'by'> & {
  id: number
  place: string
  verdict: DecisionEntry['verdict']
  before: string | null
  /** Current state of the entry's subject. */
  now: string | null
}

/** Newest first. An entry keeps what stood before it: its decision is what the next one found. */
export async function findDecisionHistory(db: Db, vuln_id: number, { env, actor }: By): Promise<DecisionEntry[]> {
  const { org_id } = actor
  const [, rows] = await Promise.all([
    requireVuln(db, org_id, vuln_id),
    db.all<Row>(sql`
    SELECT e.id, e.scope, e.scope || ' ' || e.inventory_id || ' ' || e.component_id AS place, e.verdict, e.before, e.at,
      u.username AS by, i.name AS inventory, c.name AS component, c.version, ${sql.raw(`iif(d.vuln_id IS NULL, NULL, ${decidedJson('d')})`)} AS now
    FROM decision_changes e LEFT JOIN users u ON u.id = e.user_id
    LEFT JOIN decisions d ON d.vuln_id = e.vuln_id AND d.org_id = e.org_id AND d.scope = e.scope
      AND d.inventory_id = e.inventory_id AND d.component_id = e.component_id AND d.author = ''
    LEFT JOIN inventories i ON i.org_id = e.org_id AND i.id = e.inventory_id
    LEFT JOIN inventory_components c ON c.org_id = e.org_id AND c.inventory_id = e.inventory_id AND c.id = e.component_id
    WHERE e.org_id = ${org_id} AND e.vuln_id = ${vuln_id} AND ${sql.raw(isDecidedHere('e'))} ORDER BY e.id DESC LIMIT ${maxHistory}`),
  ])
  const names = await findNames(db, rows)
  const later = new Map<string, string | null>()
  const mayUndo = (row: Row) => policies.manageMetadata(actor) || !isForManagers(row)
  return Promise.all(
    rows.map(async ({ id, place, before, now, ...row }) => {
      const isNewest = !later.has(place)
      const decided = isNewest ? now : (later.get(place) ?? null)
      later.set(place, before)
      const body = describe(decided === null ? null : parseBody(decided), names)
      const entry = { id, place, before, now, ...row }
      const undo = isNewest && row.by !== null && mayUndo(entry) ? await sealUndo(env, { first: id, last: id }) : null
      return { ...row, ...body, undo }
    }),
  )
}

const findNames = async (db: Db, rows: Row[]) => {
  const bodies = rows.flatMap(({ before, now }) => [before, now]).filter((body) => body !== null)
  const ids = [...new Set(bodies.flatMap((body) => parseBody(body).owner_id ?? []))]
  const found = await db.all<{ id: number; username: string }>(
    sql`SELECT id, username FROM users WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
  )
  return new Map(found.map(({ id, username }) => [id, username]))
}

function describe(decided: DecisionBody | null, names: Map<number, string>) {
  return {
    justification: decided?.justification ?? null,
    note: decided?.note || null,
    fix: decided?.fix ?? null,
    owner: names.get(decided?.owner_id ?? 0) ?? decided?.owner ?? null,
    last_day: decided?.last_day ?? null,
    ended_by: decided?.ended_by ?? null,
  }
}
