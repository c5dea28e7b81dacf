import { and, eq, sql } from 'drizzle-orm'
import { abort, abortUnless } from '../db/guard'
import { bulk, readBulk } from '../db/bulk'
import type { Db } from '../db/open'
import { breathe } from '../db/readers'
import { statement } from '../db/statement'
import { stamp } from '../db/time'
import { inventories } from '../schema/inventories'
import { orgs } from '../schema/orgs'
import { requireRevision } from '../exposure/require-revision'
import type { InventoryHead } from './inventory'
import { findingKey, type Finding } from '../exposure/judge'
import { lettersPerPart } from './read/part'
import type { Component, ReadInventory } from './read/tidy'
import { toJudged, type Judged, type NamedComponent } from '../exposure/targets'
import { anyVuln, goneComponent, noteAgain, noteDue } from '../exposure/note-due'
import { countDay, writeFindings } from '../exposure/write-findings'

export type StoredComponent = Component & {
  id: number
  is_matched: boolean
  judged_count: number
  unjudged_count: number
  /** Left to the steps. */
  is_pending: boolean
}

/** Fields of a stored finding that tell whether another one differs. */
export type KnownFinding = Pick<Finding, 'component_id' | 'vuln_id' | 'status' | 'confidence' | 'fixed_in'>

type Place = { org_id: number; inventory_id: number }

type Saving = {
  id: number
  name: string
  read: ReadInventory
  known: InventoryHead | undefined
  stored: StoredComponent[]
  removed: { id: number }[]
  /** The vulnerabilities of their findings. */
  goneVulns: number[]
  findings: Finding[]
  judged: Judged[]
  /** Undo the batch where what `findings` rest on is no more. */
  guards: D1PreparedStatement[]
  before: Map<string, KnownFinding>
  tells: 'summary' | 'nothing'
  /** Its number was taken before. */
  isAgain: boolean
  write: (statements: D1PreparedStatement[]) => Promise<D1Result[]>
  now: Date
}

/** Answers as the batch does. */
export async function saveInventory(db: Db, org_id: number, saving: Saving) {
  const { id, removed, findings, before, now } = saving
  const here = [org_id, id]
  const gone = removed.map((component) => component.id)
  const after = new Set(findings.map(findingKey))
  const closed = [...before.values()].filter((one) => !after.has(findingKey(one)))
  const isOther = (one: Finding) => {
    const was = before.get(findingKey(one))
    return was?.status !== one.status || was.confidence !== one.confidence
  }
  const isPending = saving.stored.some((component) => component.is_pending)
  const left = [...new Set(closed.map(({ vuln_id }) => vuln_id).concat(saving.goneVulns))]
  const changed = [
    ...new Set(
      findings
        .filter(isOther)
        .map(({ vuln_id }) => vuln_id)
        .concat(isPending ? [] : left),
    ),
  ]
  const letInReaders = () => breathe(saving.stored.length * lettersPerPart)
  const written = components(db, org_id, saving)
  await letInReaders()
  const matched = matchStatements(db, { org_id, inventory_id: id }, saving.judged)
  await letInReaders()
  const unmatched = matchRows(await findRemoved(db, org_id, id, gone))
  await letInReaders()
  return saving.write([
    ...saving.guards,
    ...(saving.known ? [requireRevision(db, saving.known)] : saving.isAgain ? [] : [claimId(db, org_id, id)]),
    head(db, org_id, saving),
    withinRoom(db, org_id),
    ...bulk(
      db,
      `DELETE FROM inventory_matches WHERE (kind, first, name, org_id, inventory_id, component_id) IN (
         SELECT value->>0, value->>1, value->>2, ?2, ?3, value->>3 FROM jsonb_each(?1))`,
      unmatched,
      ...here,
    ),
    ...['inventory_components', 'inventory_findings', 'inventory_due', 'decisions'].flatMap((table) =>
      bulk(
        db,
        `DELETE FROM ${table} WHERE org_id = ?2 AND inventory_id = ?3 AND ${table === 'inventory_components' ? 'id' : 'component_id'} IN (SELECT value FROM jsonb_each(?1))`,
        gone,
        ...here,
      ),
    ),
    ...written,
    noteDistributions(db, org_id, id),
    ...matched,
    ...noteNew(
      db,
      { org_id, inventory_id: id },
      saving.stored.flatMap((component) => (component.is_pending ? component.id : [])),
    ),
    // Waiting components may have them, too: unwatched meanwhile, they would be told as new once it is judged.
    ...(isPending ? noteGone(db, { org_id, inventory_id: id }, left) : []),
    ...writeFindings(db, { org_id, inventory_id: id, findings, closed, changed, now, by: 'document' }),
    ...countDay(db, { org_id, inventory_id: id, now }),
  ])
}

async function findRemoved(db: Db, org_id: number, id: number, gone: number[]) {
  const found = await readBulk<NamedComponent>(
    db,
    `SELECT c.id, c.version, c.purl, c.cpe FROM jsonb_each(?1) j
     CROSS JOIN inventory_components c ON c.org_id = ?2 AND c.inventory_id = ?3 AND c.id = j.value`,
    gone,
    org_id,
    id,
  )
  return found.map(toJudged)
}

/** Components for the steps to judge. */
export const noteNew = (db: Db, place: Place, ids: number[]) =>
  noteDue(
    db,
    place,
    ids.map((id) => [id, anyVuln]),
  )

const noteGone = (db: Db, place: Place, vuln_ids: number[]) =>
  noteAgain(
    db,
    place,
    vuln_ids.map((id) => [goneComponent, id]),
  )

/** By these a merge finds who runs what it touched. */
export const matchStatements = (db: Db, { org_id, inventory_id }: Place, judged: Judged[]) =>
  bulk(
    db,
    `INSERT INTO inventory_matches(kind, first, name, org_id, inventory_id, component_id)
     SELECT value->>0, value->>1, value->>2, ?2, ?3, value->>3 FROM jsonb_each(?1) WHERE TRUE ON CONFLICT DO NOTHING`,
    matchRows(judged),
    org_id,
    inventory_id,
  )

const matchRows = (judged: Judged[]) =>
  judged.flatMap(({ component_id, targets }) =>
    targets.map(({ kind, first, name }) => [kind, first, name, component_id]),
  )

/** One machine or image has one; more are of those that somebody put into one document. */
const maxDistributions = 50

/** For the batch that writes the components: readers of distributions then read no component. */
const noteDistributions = (db: Db, org_id: number, inventory_id: number) =>
  statement(
    db,
    sql`UPDATE inventories SET distributions = (SELECT json_group_array(json_array(purl, packages)) FROM (
      SELECT min(purl) AS purl, count(*) AS packages FROM (
        SELECT purl, substr(purl, instr(purl, 'distro=') + 7) AS distro FROM inventory_components
        WHERE org_id = ${org_id} AND inventory_id = ${inventory_id} AND instr(purl, 'distro=') > 0)
      GROUP BY CASE instr(distro, '&') WHEN 0 THEN distro ELSE substr(distro, 1, instr(distro, '&') - 1) END
      ORDER BY packages DESC, purl LIMIT ${sql.raw(String(maxDistributions))}))
    WHERE org_id = ${org_id} AND id = ${inventory_id}`,
  )

/** Of one organization, running; and so many more that it removed are kept aside. */
export const maxInventories = 100
export const maxOrgComponents = 100_000

/** Several may come at once, each of which would fit alone. */
export const withinRoom = (db: Db, org_id: number) =>
  statement(
    db,
    abortUnless(
      sql`(SELECT count(*) <= ${maxInventories} AND sum(components_count) <= ${maxOrgComponents} FROM inventories
        WHERE org_id = ${org_id} AND removed_at IS NULL)`,
      'inventory',
    ),
  )

/** Handed out, never twice: a removed inventory's number stands in histories and in what others stored. */
export const nextId = sql<number>`max(orgs.last_inventory_id,
  (SELECT coalesce(max(i.id), 0) FROM inventories i WHERE i.org_id = orgs.id)) + 1`

/** For whoever was overtaken: others that are sent at once have other numbers. */
export const takeId = (db: Db, org_id: number) =>
  db
    .update(orgs)
    .set({ last_inventory_id: nextId })
    .where(eq(orgs.id, org_id))
    .returning({ id: orgs.last_inventory_id })

/** Undoes the batch where somebody else took it since our reading. */
const claimId = (db: Db, org_id: number, id: number) =>
  statement(
    db,
    db
      .update(orgs)
      .set({ last_inventory_id: sql`CASE WHEN ${nextId} = ${id} THEN ${id} ELSE ${abort('inventory')} END` })
      .where(eq(orgs.id, org_id)),
  )

/** Undoes the batch where somebody else added it since our reading. */
function head(db: Db, org_id: number, { id, name, read, known, stored, tells, now }: Saving) {
  const written = {
    name,
    format: read.format,
    subject: read.subject,
    components_count: stored.length,
    last_component_id: Math.max(known?.last_component_id ?? 0, ...stored.map((component) => component.id)),
    unmatched_count: 0,
    updated_at: stamp(now),
  }
  const isTaken = sql`EXISTS (SELECT 1 FROM inventories WHERE org_id = ${org_id} AND name = ${name} AND removed_at IS NULL)`
  return statement(
    db,
    known
      ? db
          .update(inventories)
          .set({ ...written, revision: sql`revision + 1` })
          .where(and(eq(inventories.org_id, org_id), eq(inventories.id, id)))
      : db.insert(inventories).values({
          ...written,
          org_id,
          id: sql`CASE WHEN NOT ${isTaken} THEN ${id} ELSE ${abort('inventory')} END`,
          created_at: stamp(now),
          revision: 1,
          changes: 0,
          tells,
        }),
  )
}

function components(db: Db, org_id: number, { id, stored }: Saving) {
  const columns = [
    'key',
    'name',
    'version',
    'purl',
    'cpe',
    'scope',
    'licence',
    'path',
    'is_matched',
    'judged_count',
    'unjudged_count',
  ] as const
  const isOther = columns.map((column) => `excluded.${column} IS NOT inventory_components.${column}`).join(' OR ')
  return bulk(
    db,
    `INSERT INTO inventory_components(org_id, inventory_id, id, ${columns.join(', ')})
     SELECT ?2, ?3, value->>0, ${columns.map((_, at) => `value->>${at + 1}`).join(', ')} FROM jsonb_each(?1) WHERE TRUE
     ON CONFLICT DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(', ')} WHERE ${isOther}`,
    stored.map((one) => [
      one.id,
      ...columns.map((column) => (column === 'path' ? JSON.stringify(one.path) : one[column])),
    ]),
    org_id,
    id,
  )
}
