import { sql, type SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { moveDay } from '../decisions/quiet'
import type { DecisionScope } from '../domain/decisions/decision-scope'
import type { exploits } from '../schema/exploits'
import type { decisions } from '../schema/decisions'
import type { WrittenRecord } from './records'
import { toReference } from './take-each'

const pageRows = 2_000

/** Decisions that count today: decisions that ended are history, which stays. */
export async function* readOwnWords(db: Db, org_id: number, now: Date): AsyncGenerator<WrittenRecord[]> {
  const places = ['inventory_id', 'verdict', 'vuln_id', 'scope', 'component_id'] as const
  for await (const rows of readPages<DecisionRow>(db, selectDecisions(org_id, now), 'd', places))
    yield rows.flatMap(toDecisionRecord)
  const comments = sql`SELECT c.vuln_id, c.id, v.cveid, u.username AS author, c.body, c.created_at
    FROM comments c CROSS JOIN vulns v ON v.id = c.vuln_id LEFT JOIN users u ON u.id = c.user_id WHERE c.org_id = ${org_id}`
  for await (const rows of readPages<CommentRow>(db, comments, 'c', ['vuln_id', 'id']))
    yield rows.map(({ vuln_id: _, id: __, cveid, ...comment }) => ({
      kind: 'comment' as const,
      vulnerability: toReference(cveid),
      ...comment,
    }))
  yield* readMetadata(db, org_id)
}

type Named = { cveid: string | null }
type CommentRow = Named & { vuln_id: number; id: number; author: string | null; body: string; created_at: string }
type DecisionRow = Named &
  Omit<typeof decisions.$inferSelect, 'on_fix' | 'on_kev' | 'on_exploit'> & {
    scope: DecisionScope
    on_fix: number
    on_kev: number
    on_exploit: number
    email: string | null
    inventory: string | null
    component: string | null
  }

const selectDecisions = (org_id: number, now: Date) => sql`
  SELECT d.*, v.cveid, u.email, i.name AS inventory, c.key AS component FROM decisions d
  CROSS JOIN vulns v ON v.id = d.vuln_id LEFT JOIN users u ON u.id = d.owner_id
  LEFT JOIN inventories i ON i.org_id = d.org_id AND i.id = d.inventory_id AND i.removed_at IS NULL
  LEFT JOIN inventory_components c ON c.org_id = d.org_id AND c.inventory_id = d.inventory_id AND c.id = d.component_id
  WHERE d.org_id = ${org_id} AND d.author = '' AND d.verdict <> 'undefined' AND d.ended_at IS NULL
    AND (d.last_day IS NULL OR d.last_day >= ${stamp(now).slice(0, 10)})`

/** In the order of columns of the table `from`. */
async function* readPages<Row extends object>(db: Db, rows: SQL, from: string, order: readonly (keyof Row & string)[]) {
  const key = sql.raw(order.map((column) => `${from}.${column}`).join(', '))
  for (let after = sql``; ;) {
    const found = await db.all<Row>(sql`${rows} ${after} ORDER BY ${key} LIMIT ${pageRows}`)
    const last = found.at(-1)
    if (last === undefined) return
    yield found
    const values = order.map((column) => sql`${last[column]}`)
    after = sql`AND (${key}) > (${sql.join(values, sql`, `)})`
  }
}

function toDecisionRecord(row: DecisionRow): WrittenRecord[] {
  const { scope, verdict, decided_at, justification, note, fix, owner, last_day, email, inventory, component } = row
  const said = { kind: 'decision' as const, vulnerability: toReference(row.cveid), decided_at }
  const reason = { justification, note, owner, expires_at: last_day }
  switch (scope) {
    case 'assignee':
      return email === null ? [] : [{ ...said, scope, owner: email }]
    case 'component': {
      if (inventory === null || component === null) return []
      const decision = { ...reason, fix, status: verdict as 'fixed' }
      return [{ ...said, scope, inventory, component, decision }]
    }
    case 'vulnerability':
      return [{ ...said, scope, decision: { ...reason, status: verdict as 'fixed' } }]
    default: {
      const decision = {
        kind: verdict as 'snoozed',
        until: last_day === null ? undefined : moveDay(last_day, 1),
        on_fix: row.on_fix === 1,
        on_kev: row.on_kev === 1,
        on_exploit: row.on_exploit === 1,
        epss_above: row.epss_above ?? undefined,
        epss_percentile_above: row.epss_percentile_above ?? undefined,
        reason: note ?? '',
      }
      return [{ ...said, scope, owner: email, decision }]
    }
  }
}

const shared = sql`x.id, v.cveid, x.link, x.notes, x.trust_level, x.tlp_level, x.source, x.modified`
type Shared = Named & { id: number; modified: string }
type ExploitColumns = Pick<typeof exploits.$inferSelect, 'link' | 'notes' | 'trust_level' | 'tlp_level' | 'source'>
type ExploitFile = Shared & ExploitColumns & Pick<typeof exploits.$inferSelect, 'availability' | 'maturity' | 'type'>
type ThreatFile = Shared & ExploitColumns & { [flag in 'is_in_the_wild' | 'is_in_the_news']: number }

async function* readMetadata(db: Db, org_id: number): AsyncGenerator<WrittenRecord[]> {
  const from = (table: SQL) => sql`FROM ${table} x CROSS JOIN vulns v ON v.id = x.vuln_id WHERE x.org_id = ${org_id}`
  const ownExploits = sql`SELECT ${shared}, x.availability, x.maturity, x.type ${from(sql`exploits`)}`
  for await (const rows of readPages<ExploitFile>(db, ownExploits, 'x', ['modified', 'id']))
    yield rows.map(({ id: _, cveid, ...exploit }) => ({
      kind: 'exploit' as const,
      vulnerability: toReference(cveid),
      ...exploit,
    }))
  const news = sql`SELECT ${shared}, x.is_in_the_wild, x.is_in_the_news ${from(sql`threats`)}`
  for await (const rows of readPages<ThreatFile>(db, news, 'x', ['modified', 'id']))
    yield rows.map(({ id: _, cveid, is_in_the_wild, is_in_the_news, ...threat }) => ({
      kind: 'threat' as const,
      vulnerability: toReference(cveid),
      ...threat,
      is_in_the_wild: is_in_the_wild === 1,
      is_in_the_news: is_in_the_news === 1,
    }))
}
