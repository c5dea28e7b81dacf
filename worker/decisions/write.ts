import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import type { DecisionScope } from '../domain/decisions/decision-scope'
import type { decisions } from '../schema/decisions'
import type { DecisionReason } from './decide-contract'
import type { Entries } from './undo-token'

/** A decision without its subject. */
export type DecisionBody = Omit<
  typeof decisions.$inferInsert,
  'vuln_id' | 'org_id' | 'scope' | 'inventory_id' | 'component_id' | 'author'
>
/** Without a component it is about the vulnerability; without a decision nothing is decided any more. */
type DecisionChange = {
  vuln_id: number
  inventory_id?: number
  component_id?: number
  decision: DecisionBody | null
}
/** Without a user the clock acts. */
export type Deciding = { org_id: number; user_id: number | null; now: Date }

export const toColumns = ({ justification, note, owner, expires_at }: DecisionReason) => ({
  justification: justification || null,
  note: note || null,
  owner: owner || null,
  last_day: expires_at || null,
})

const people = ['owner_id', 'user_id', 'approved_user_id', 'ended_user_id']
const flags = ['on_fix', 'on_kev', 'on_exploit']
const plain = [
  'verdict',
  'justification',
  'note',
  'fix',
  'owner',
  'last_day',
  'epss_above',
  'epss_percentile_above',
  'decided_at',
  'ended_at',
  'ended_by',
] as const
const columns = [...plain, ...flags, ...people]

const changed = `(SELECT value->>0 AS vuln_id, value->>1 AS inventory_id, value->>2 AS component_id, value->>3 AS after FROM jsonb_each(?1)) k`
const isOfChange = `d.vuln_id = k.vuln_id AND d.org_id = ?2 AND d.scope = ?3 AND d.inventory_id = k.inventory_id
  AND d.component_id = k.component_id AND d.author = ''`
/** Only what was found can be decided of a component. */
const isFound = `(k.inventory_id = 0 OR EXISTS (SELECT 1 FROM inventory_findings f WHERE f.org_id = ?2
  AND f.inventory_id = k.inventory_id AND f.vuln_id = k.vuln_id AND f.component_id = k.component_id))`

/** All entries but those that say only when a decision came from another vulnerability. */
export const isDecidedHere = (entry: string) => `${entry}.before IS NOT '{}'`

/** JSON of a row of `from`. */
export const decidedJson = (from: string) =>
  `json_object(${columns.map((name) => `'${name}', ${from}.${name}`).join(', ')})`

export const parseBody = (json: string) => JSON.parse(json) as DecisionBody

// A user who was removed meanwhile is nobody in restored decisions.
const read = (name: string) => {
  if (people.includes(name)) return `(SELECT u.id FROM users u WHERE u.id = k.after->>'${name}')`
  return flags.includes(name) ? `coalesce(k.after->>'${name}', 0)` : `k.after->>'${name}'`
}

/** The only writer of an organization's own decisions: the history answers with its entries, for `toChanged`. */
export function writeDecisions(
  db: Db,
  scope: DecisionScope,
  changes: DecisionChange[],
  { org_id, user_id, now }: Deciding,
) {
  const rows = changes.map(({ vuln_id, inventory_id = 0, component_id = 0, decision }) => [
    vuln_id,
    inventory_id,
    component_id,
    decision,
  ])
  return [
    ...bulk(
      db,
      `INSERT INTO decision_changes(org_id, vuln_id, scope, inventory_id, component_id, verdict, before, at, user_id)
       SELECT ?2, k.vuln_id, ?3, k.inventory_id, k.component_id, k.after->>'verdict',
         CASE WHEN d.vuln_id IS NOT NULL THEN ${decidedJson('d')} END, ?4, ?5
       FROM ${changed} LEFT JOIN decisions d ON ${isOfChange}
       WHERE iif(k.after IS NULL, d.vuln_id IS NOT NULL, ${isFound}) RETURNING id AS entry, vuln_id`,
      rows,
      org_id,
      scope,
      stamp(now),
      user_id,
    ),
    ...bulk(
      db,
      `DELETE FROM decisions WHERE (vuln_id, org_id, scope, inventory_id, component_id, author) IN (
         SELECT k.vuln_id, ?2, ?3, k.inventory_id, k.component_id, '' FROM ${changed} WHERE k.after IS NULL)`,
      rows.filter(([, , , decision]) => decision === null),
      org_id,
      scope,
    ),
    ...bulk(
      db,
      `INSERT INTO decisions(vuln_id, org_id, scope, inventory_id, component_id, ${columns.join(', ')})
       SELECT k.vuln_id, ?2, ?3, k.inventory_id, k.component_id, ${columns.map(read).join(', ')} FROM ${changed} WHERE ${isFound}
       ON CONFLICT DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`,
      rows.filter(([, , , decision]) => decision !== null),
      org_id,
      scope,
    ),
    // Verdicts that rose while a decision kept them quiet.
    ...bulk(
      db,
      `INSERT INTO risen_verdicts(org_id, vuln_id) SELECT w.org_id, w.vuln_id FROM ${changed} CROSS JOIN org_vulns w
       ON w.org_id = ?2 AND w.vuln_id = k.vuln_id AND w.risen > 0 WHERE TRUE ON CONFLICT DO NOTHING`,
      rows,
      org_id,
    ),
    // Their stored lists leave out what the organization is done with.
    ...bulk(
      db,
      `UPDATE inventories SET changes = changes + 1 WHERE org_id = ?2 AND id IN (
         SELECT m.inventory_id FROM ${changed} CROSS JOIN inventory_vulns m ON m.vuln_id = k.vuln_id AND m.org_id = ?2)`,
      scope === 'vulnerability' ? rows : [],
      org_id,
    ),
  ]
}

/** Changes of a batch, and its entries of the history, which follow each other. */
export function toChanged(answers: D1Result<unknown>[]): { set: number[]; changed: number; entries: Entries | null } {
  const written = answers.flatMap(({ results }) => results.filter(isEntry))
  const [first, last] = [written[0], written.at(-1)]
  const set = [...new Set(written.map(({ vuln_id }) => vuln_id))]
  return { set, changed: written.length, entries: first && last ? { first: first.entry, last: last.entry } : null }
}

const isEntry = (row: unknown): row is { entry: number; vuln_id: number } =>
  typeof row === 'object' && row !== null && 'entry' in row
