import { and, eq, ne, sql, type SQL } from 'drizzle-orm'
import type { AuditedWrite } from '../auth/audited-by'
import { retryOvertaken } from '../db/guard'
import type { Db } from '../db/open'
import { writeAndRead } from '../db/statement'
import { breathe, breatheThrough } from '../db/readers'
import { Failure, notFound } from '../http/errors'
import { inventories, inventoryComponents } from '../schema/inventories'
import { orgs } from '../schema/orgs'
import type { PutAnswer } from './contract'
import { findInventories } from './find-inventories'
import { isOvertaken } from '../exposure/require-revision'
import { findInventory, isLive } from './inventory'
import { judgeOrLeave, takeWithin } from '../exposure/budget'
import { judgeComponents } from '../exposure/judge'
import { anyVuln } from '../exposure/note-due'
import { lettersPerPart } from './read/part'
import { readInventory } from './read/read-inventory'
import { readSentDocument } from './read/read-text'
import type { ReadInventory } from './read/tidy'
import { maxInventories, maxOrgComponents, nextId, saveInventory, takeId, type StoredComponent } from './save'
import { findGone, findStale, tellAlike, tellFindings, tellNames } from './tell'
import { toJudged } from '../exposure/targets'
import { findKbVersion, requireKbVersion } from '../watchlist/kb-version'

type Sent = { name: string; file: ReadableStream<Uint8Array> | null; now: Date; write?: AuditedWrite }

/** All of it or nothing; answers what changed. */
export const syncInventory = async (db: Db, org_id: number, { file, ...sent }: Sent): Promise<PutAnswer> =>
  saveReadInventory(db, org_id, {
    ...sent,
    read: await readSentDocument(file, (text) => breatheThrough(readInventory(text))),
  })

/** The same for one that was read before. Where somebody merged meanwhile, steps judge it: it waits for no pause of the feeds. */
export const saveReadInventory = (db: Db, org_id: number, sent: Replacing): Promise<PutAnswer> =>
  judgeOrLeave((limit) => {
    let tries = 0
    return retryOvertaken({ attempts: 3, isOvertaken }, () =>
      replaceInventory(db, org_id, { ...sent, limit, isAgain: tries++ > 0 }),
    )
  }).catch((error: unknown) => {
    if (!isOvertaken(error)) throw error
    throw new Failure(429, 'busy', 'Others send this inventory at the same time: send it again', {
      headers: { 'retry-after': '2' },
    })
  })

/** `tells`: how what a new inventory brings is told. */
type Replacing = Omit<Sent, 'file'> & { read: ReadInventory; tells?: 'summary' | 'nothing' }
/** `limit`: of comparisons, as `judgeOrLeave` allows. */
type Comparing = Replacing & { limit: number; isAgain: boolean }

/** The stored components, and the new ones. */
async function compareInventory(db: Db, org_id: number, { name, read, limit, isAgain }: Comparing) {
  const [known, used, before, fresh_id, kb_version] = await Promise.all([
    findInventory(db, org_id, name),
    findUsed(db, org_id, name),
    findStored(db, org_id, name),
    findNextId(db, org_id, isAgain),
    findKbVersion(db),
  ])
  requireRoom(used, read.components.length)

  const components = giveIds(read, before, known?.last_component_id ?? 0)
  const letInReaders = () => breathe(components.length * lettersPerPart)
  await letInReaders()
  const kept = listKept(components, before)
  const judged = components.map(toJudged)
  await letInReaders()
  const fresh = judged.filter(({ component_id }) => !kept.has(component_id))
  const id = known?.id ?? fresh_id
  const place = { org_id, inventory_id: id }
  const keys = new Set(components.map((component) => component.id))
  const removed = [...before.values()].filter((component) => !keys.has(component.id))
  const renamed = components.filter((component) => before.has(component.key) && !kept.has(component.id))
  const added = components.filter((component) => !before.has(component.key))
  const [{ taken, items }, gone, stale, look_alikes] = await Promise.all([
    takeWithin(db, fresh, { limit }),
    findGone(db, place, removed),
    findStale(db, place, renamed),
    tellAlike(db, org_id, added),
  ])
  await letInReaders()
  const verdicts = await judgeComponents(db, org_id, taken, { items })
  const stored = components.map((component): StoredComponent => {
    const same = kept.get(component.id)
    const found = same ?? verdicts.get(component.id)
    const { is_matched = false, judged_count = 0, unjudged_count = 0 } = found ?? {}
    return { ...component, is_matched, judged_count, unjudged_count, is_pending: same ? same.is_pending : !found }
  })
  const findings = [...verdicts.values()].flatMap((one) => one.findings)
  const guards = taken.length ? [requireKbVersion(db, kb_version)] : []
  return {
    id,
    known,
    had: before.size,
    stored,
    removed,
    added,
    judged,
    guards,
    findings,
    before: stale,
    gone,
    look_alikes,
  }
}

async function replaceInventory(db: Db, org_id: number, sent: Comparing): Promise<PutAnswer> {
  const { name, read, now, isAgain, tells = 'summary' } = sent
  const compared = await compareInventory(db, org_id, sent)
  const { id, known, had, stored, removed, added, gone, look_alikes } = compared
  const logged = toWrite(db, sent, { removed: removed.length, left: stored.length, before: had })
  const write = (reads: D1PreparedStatement[]) =>
    saveInventory(db, org_id, {
      ...compared,
      name,
      read,
      goneVulns: gone.vuln_ids,
      tells,
      isAgain,
      write: (all) => logged([...all, ...reads]),
      now,
    })
  const [[inventory], findings] = await writeAndRead(db, write, (after) =>
    Promise.all([findInventories(after, org_id, [id]), tellFindings(after, compared)]),
  )
  if (!inventory) throw new Failure(409, 'conflict', 'Somebody else removed it meanwhile')
  return {
    inventory,
    is_new: !known,
    components: {
      added: tellNames(added),
      removed: tellNames(removed),
      look_alikes,
      unmatched: tellNames(stored.filter(({ is_matched, is_pending }) => !is_matched && !is_pending)),
    },
    findings,
  }
}

type Counts = { removed: number; left: number; before: number }

/** The loss of most of an inventory silences what it brought, as its removal does: the log says so. */
function toWrite(db: Db, { name, write }: Replacing, { removed, left, before }: Counts) {
  const isLogged = write !== undefined && removed * 2 > before
  const entry = { action: 'inventory.empty' as const, target: name, detail: { removed, left } }
  return (all: D1PreparedStatement[]) => (isLogged ? write(all, entry) : db.$client.batch(all))
}

/** By all others that run. */
export const findUsed = (db: Db, org_id: number, name: string | SQL) =>
  db
    .select({
      inventories: sql<number>`count(*)`,
      components: sql<number>`coalesce(sum(${inventories.components_count}), 0)`,
    })
    .from(inventories)
    .where(and(isLive(org_id), ne(inventories.name, name)))
    .get()

export function requireRoom(used: Awaited<ReturnType<typeof findUsed>>, count: number) {
  if ((used?.inventories ?? 0) >= maxInventories)
    throw new Failure(409, 'quota_exceeded', `An organization has ${maxInventories} inventories at most`)
  if ((used?.components ?? 0) + count > maxOrgComponents)
    throw new Failure(
      409,
      'quota_exceeded',
      `An organization has ${maxOrgComponents.toLocaleString('en')} components at most`,
    )
}

type StoredKey = Pick<
  typeof inventoryComponents.$inferSelect,
  'id' | 'key' | 'name' | 'version' | 'purl' | 'cpe' | 'is_matched' | 'judged_count' | 'unjudged_count'
> & { is_pending: boolean }

/** Components judged or waiting for it under an unchanged name: merges and the clock keep that true. */
function listKept(
  components: { id: number; key: string; version: string | null; purl: string | null; cpe: string | null }[],
  before: Map<string, StoredKey>,
) {
  return new Map(
    components.flatMap(({ id, key, version, purl, cpe }) => {
      const known = before.get(key)
      const isSame = known?.version === version && known.purl === purl && known.cpe === cpe
      return known && isSame ? [[id, known] as const] : []
    }),
  )
}

async function findStored(db: Db, org_id: number, called: string) {
  const inventory_id = sql`(SELECT i.id FROM inventories i WHERE i.org_id = ${org_id} AND i.name = ${called} AND i.removed_at IS NULL)`
  const { id, key, name, version, purl, cpe, is_matched, judged_count, unjudged_count } = inventoryComponents
  const isPending = sql<number>`EXISTS (SELECT 1 FROM inventory_due d WHERE d.org_id = ${org_id}
    AND d.inventory_id = ${inventory_id} AND d.component_id = inventory_components.id AND d.vuln_id = ${anyVuln})`
  const found = await db
    .select({
      id,
      key,
      name,
      version,
      purl,
      cpe,
      is_matched,
      judged_count,
      unjudged_count,
      is_pending: isPending.mapWith(Boolean),
    })
    .from(inventoryComponents)
    .where(and(eq(inventoryComponents.org_id, org_id), eq(inventoryComponents.inventory_id, inventory_id)))
  return new Map<string, StoredKey>(found.map((one) => [one.key, one]))
}

// A component that was here before keeps its id, and with it what was decided about it.
function giveIds({ components }: ReadInventory, before: Map<string, StoredKey>, last_given: number) {
  let last = Math.max(last_given, ...[...before.values()].map(({ id }) => id))
  return components.map((component) => ({ ...component, id: before.get(component.key)?.id ?? ++last }))
}

async function findNextId(db: Db, org_id: number, isAgain: boolean) {
  const find = () =>
    db
      .select({ id: nextId.as('id') })
      .from(orgs)
      .where(eq(orgs.id, org_id))
  const [row] = await (isAgain ? takeId(db, org_id) : find())
  if (!row) throw notFound('Organization')
  return row.id
}
