import { and, eq, ne, sql } from 'drizzle-orm'
import type { AuditedWrite } from '../auth/audited-by'
import type { Db } from '../db/open'
import { breathe, breatheThrough } from '../db/readers'
import { Failure, notFound } from '../http/errors'
import { parsePurl } from '../domain/names/purl'
import { inventories, inventoryComponents } from '../schema/inventories'
import { orgs } from '../schema/orgs'
import type { PutAnswer } from './contract'
import { maxListed } from './contract'
import { findGone, findingKey, findStale } from './find-gone'
import type { Gone } from './find-gone'
import { findInventories } from './find-inventories'
import { isOvertaken } from '../exposure/require-revision'
import { findInventory, isLive } from './inventory'
import { requestComparisons, takeWithin } from '../exposure/budget'
import { judgeComponents } from '../exposure/judge'
import { anyVuln } from '../exposure/judge-due'
import type { Finding } from '../exposure/judge'
import { BadDocument } from './read/bad-document'
import { lettersPerPart } from './read/part'
import { readInventory } from './read/read-inventory'
import { readText } from './read/read-text'
import type { ReadInventory } from './read/tidy'
import { maxInventories, maxOrgComponents, saveInventory } from './save'
import type { KnownFinding, StoredComponent } from './save'
import { findLookAlikes } from '../watchlist/look-alikes'
import { findTargets } from '../exposure/targets'

const maxAttempts = 3

type Sent = { name: string; file: ReadableStream<Uint8Array>; now: Date; write?: AuditedWrite }

/** All of it or nothing; answers what changed. */
export const syncInventory = async (db: Db, org_id: number, { file, ...sent }: Sent): Promise<PutAnswer> =>
  saveReadInventory(db, org_id, { ...sent, read: await parseFile(file) })

/** The same for one that was read before. */
export async function saveReadInventory(db: Db, org_id: number, sent: Replacing): Promise<PutAnswer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await replaceInventory(db, org_id, sent)
    } catch (error) {
      if (!isOvertaken(error)) throw error
      if (attempt === maxAttempts)
        throw new Failure(409, 'conflict', 'Others send this inventory at the same time: send it again')
    }
  }
}

async function parseFile(file: ReadableStream<Uint8Array>) {
  try {
    return await breatheThrough(readInventory(await readText(file)))
  } catch (error) {
    if (!(error instanceof BadDocument)) throw error
    throw new Failure(400, 'invalid_document', error.message, {
      issues: [{ path: error.place ? [error.place] : [], message: error.reason }],
    })
  }
}

/** `tells`: how what a new inventory brings is told. */
type Replacing = Omit<Sent, 'file'> & { read: ReadInventory; tells?: 'summary' | 'nothing' }

async function replaceInventory(db: Db, org_id: number, sent: Replacing): Promise<PutAnswer> {
  const { name, read, now } = sent
  const known = await findInventory(db, org_id, name)
  await requireRoom(db, org_id, { id: known?.id ?? 0, count: read.components.length })
  const before = known ? await findStored(db, org_id, known.id) : new Map<string, StoredKey>()

  const components = giveIds(read, before, known?.last_component_id ?? 0)
  const letInReaders = () => breathe(components.length * lettersPerPart)
  await letInReaders()
  const kept = listKept(components, before)
  const judged = components.map((component) => ({ component_id: component.id, targets: findTargets(component) }))
  await letInReaders()
  const fresh = judged.filter(({ component_id }) => !kept.has(component_id))
  const taken = await takeWithin(db, fresh, { limit: requestComparisons })
  await letInReaders()
  const verdicts = await judgeComponents(
    db,
    org_id,
    taken.map(({ component }) => component),
  )
  const stored = components.map((component): StoredComponent => {
    const same = kept.get(component.id)
    if (same) return { ...component, ...toCompared(same) }
    const found = verdicts.get(component.id)
    if (!found) return { ...component, ...notCompared }
    const { is_known, judged_count, unjudged_count } = found
    return { ...component, is_matched: is_known, judged_count, unjudged_count, is_pending: false }
  })
  const findings = [...verdicts.values()].flatMap((one) => one.findings)
  const id = known?.id ?? (await nextId(db, org_id))
  const keys = new Set(stored.map(({ id: one }) => one))
  const removed = [...before.values()].filter((component) => !keys.has(component.id))
  const gone = await findGone(db, { org_id, inventory_id: id }, removed)
  const renamed = components.filter((component) => before.has(component.key) && !kept.has(component.id))
  const stale = await findStale(db, { org_id, inventory_id: id }, renamed)
  await saveInventory(db, org_id, {
    id,
    name,
    read,
    known,
    stored,
    removed,
    goneVulns: gone.vuln_ids,
    findings,
    judged,
    before: stale,
    tells: sent.tells ?? 'summary',
    write: toWrite(db, sent, { removed: removed.length, left: stored.length, before: before.size }),
    now,
  })

  const [inventory] = await findInventories(db, org_id, [id])
  if (!inventory) throw new Failure(409, 'conflict', 'Somebody else removed it meanwhile')
  return {
    inventory,
    is_new: !known,
    components: await tellComponents(db, org_id, { stored, before, removed }),
    findings: await tellFindings(db, { stored, removed, findings, before: stale, gone }),
  }
}

type Counts = { removed: number; left: number; before: number }

/** Who takes most of an inventory away silences what it brought, as who removes it: the log says so. */
function toWrite(db: Db, { name, write }: Replacing, { removed, left, before }: Counts) {
  const isLogged = write !== undefined && removed * 2 > before
  const entry = { action: 'inventory.empty' as const, target: name, detail: { removed, left } }
  return (all: D1PreparedStatement[]) => (isLogged ? write(all, entry) : db.$client.batch(all))
}

type Changed = { stored: StoredComponent[]; before: Map<string, StoredKey>; removed: StoredKey[] }

async function tellComponents(db: Db, org_id: number, { stored, before, removed }: Changed) {
  const added = stored.filter((component) => !before.has(component.key))
  return {
    added: tellNames(added),
    removed: tellNames(removed),
    look_alikes: await tellAlike(db, org_id, added),
    unmatched: tellNames(stored.filter(({ is_matched, is_pending }) => !is_matched && !is_pending)),
  }
}

async function tellAlike(db: Db, org_id: number, added: StoredComponent[]) {
  const findAlike = await findLookAlikes(db, org_id)
  const alike = added.flatMap(({ name, version, purl: text }) => {
    const purl = text === null ? null : parsePurl(text)
    const [first] = purl ? findAlike(purl) : []
    return first ? [{ name, version, of: first.known.name, likeness: first.likeness }] : []
  })
  return { count: alike.length, first: alike.slice(0, maxListed) }
}

/** Beside all others that run. */
export async function requireRoom(db: Db, org_id: number, { id, count }: { id: number; count: number }) {
  const used = await db
    .select({
      inventories: sql<number>`count(*)`,
      components: sql<number>`coalesce(sum(${inventories.components_count}), 0)`,
    })
    .from(inventories)
    .where(and(isLive(org_id), ne(inventories.id, id)))
    .get()
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

const notCompared = { is_matched: false, judged_count: 0, unjudged_count: 0, is_pending: true }
const toCompared = ({ is_matched, judged_count, unjudged_count, is_pending }: StoredKey) => ({
  is_matched,
  judged_count,
  unjudged_count,
  is_pending,
})

async function findStored(db: Db, org_id: number, inventory_id: number) {
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

// Handed out, never twice: a removed inventory's number stands in histories and in what others stored.
async function nextId(db: Db, org_id: number) {
  const given = sql`SELECT coalesce(max(id), 0) FROM inventories WHERE org_id = ${org_id}`
  const [row] = await db
    .update(orgs)
    .set({ last_inventory_id: sql`max(${orgs.last_inventory_id}, (${given})) + 1` })
    .where(eq(orgs.id, org_id))
    .returning({ id: orgs.last_inventory_id })
  if (!row) throw notFound('Organization')
  return row.id
}

const tellNames = (components: { name: string; version: string | null }[]) => ({
  count: components.length,
  first: components.slice(0, maxListed).map(({ name, version }) => ({ name, version })),
})

type Compared = {
  stored: StoredComponent[]
  removed: StoredKey[]
  findings: Finding[]
  before: Map<string, KnownFinding>
  gone: Gone
}

async function tellFindings(
  db: Db,
  { stored, removed, findings, before, gone: removedWith }: Compared,
): Promise<PutAnswer['findings']> {
  const after = new Set(findings.map(findingKey))
  const added = findings.filter((finding) => !before.has(findingKey(finding)))
  const closed = [...before].filter(([key]) => !after.has(key)).map(([, finding]) => finding)
  const gone = [...closed, ...removedWith.first]
  const shown = [...added.slice(0, maxListed), ...gone.slice(0, maxListed)]
  const ids = JSON.stringify([...new Set(shown.map(({ vuln_id }) => vuln_id))])
  const names = await db.all<{ id: number; cveid: string | null }>(sql`
    SELECT v.id, CASE WHEN v.org_id IS NULL THEN v.cveid END AS cveid
    FROM jsonb_each(${ids}) j JOIN vulns v ON v.id = j.value`)
  const cveids = new Map(names.map(({ id, cveid }) => [id, cveid]))
  const byId = new Map<number, { name: string; version: string | null }>(
    [...removed, ...stored].map((one) => [one.id, one]),
  )
  const tell = (list: KnownFinding[], length = list.length) => ({
    count: length,
    first: list.slice(0, maxListed).map(({ vuln_id, component_id, status, fixed_in }) => ({
      vuln_id,
      cveid: cveids.get(vuln_id) ?? null,
      component: byId.get(component_id)?.name ?? '',
      version: byId.get(component_id)?.version ?? null,
      status,
      fixed_in,
    })),
  })
  return { new: tell(added), gone: tell(gone, closed.length + removedWith.count) }
}
