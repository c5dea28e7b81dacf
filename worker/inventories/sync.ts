import { and, eq, max, ne, sql } from 'drizzle-orm'
import { errorText } from '../db/error-text'
import type { Db } from '../db/open'
import { Failure } from '../http/errors'
import { inventories, inventoryComponents, inventoryFindings } from '../schema/inventories'
import type { PutAnswer } from './contract'
import { maxListed } from './contract'
import { findInventories } from './find-inventories'
import { findInventory } from './inventory'
import type { InventoryHead } from './inventory'
import { judgeComponents } from './judge'
import type { Finding } from './judge'
import { BadDocument } from './read/bad-document'
import { readInventory } from './read/read-inventory'
import { readText } from './read/read-text'
import type { ReadInventory } from './read/tidy'
import { saveInventory } from './save'
import type { KnownFinding, StoredComponent } from './save'
import { findTargets } from './targets'

/** Of one organization. */
const maxInventories = 100
const maxOrgComponents = 100_000
const maxAttempts = 3

type Sent = { name: string; file: ReadableStream<Uint8Array>; now: Date }

/** All of it or nothing; answers what changed. */
export async function syncInventory(db: Db, org_id: number, { name, file, now }: Sent): Promise<PutAnswer> {
  const read = await parseFile(file)
  for (let attempt = 1; ; attempt++) {
    try {
      return await replaceInventory(db, org_id, { name, read, now })
    } catch (error) {
      if (!isOvertaken(error)) throw error
      if (attempt === maxAttempts)
        throw new Failure(409, 'conflict', 'Others send this inventory at the same time: send it again')
    }
  }
}

// Somebody else sent it, too, between our reading and our writing.
const isOvertaken = (error: unknown) => /inventories\.(?:revision|id|org_id)/.test(errorText(error))

async function parseFile(file: ReadableStream<Uint8Array>) {
  try {
    return readInventory(await readText(file))
  } catch (error) {
    if (!(error instanceof BadDocument)) throw error
    throw new Failure(400, 'invalid_document', error.message, {
      issues: [{ path: error.place ? [error.place] : [], message: error.reason }],
    })
  }
}

type Replacing = { name: string; read: ReadInventory; now: Date }

async function replaceInventory(db: Db, org_id: number, { name, read, now }: Replacing): Promise<PutAnswer> {
  const known = await findInventory(db, org_id, name)
  await requireRoom(db, org_id, known, read.components.length)
  const before = known ? await findStored(db, org_id, known.id) : { components: new Map(), findings: new Map() }

  const components = giveIds(read, before.components)
  const judged = components.map((component) => ({ component_id: component.id, targets: findTargets(component) }))
  const verdicts = await judgeComponents(db, org_id, judged)
  const stored = components.map((component): StoredComponent => {
    const { is_known = false, judged_count = 0, unjudged_count = 0 } = verdicts.get(component.id) ?? {}
    return { ...component, is_matched: is_known, judged_count, unjudged_count }
  })
  const findings = [...verdicts.values()].flatMap((one) => one.findings)
  const id = known?.id ?? (await nextId(db, org_id))
  const keys = new Set(stored.map(({ id: one }) => one))
  const removed = [...before.components.values()].filter((component) => !keys.has(component.id))
  await saveInventory(db, org_id, {
    id,
    name,
    read,
    known,
    stored,
    removed,
    findings,
    judged,
    before: before.findings,
    now,
  })

  const [inventory] = await findInventories(db, org_id, [id])
  if (!inventory) throw new Failure(409, 'conflict', 'Somebody else removed it meanwhile')
  const added = stored.filter((component) => !before.components.has(component.key))
  return {
    inventory,
    is_new: !known,
    components: {
      added: tellNames(added),
      removed: tellNames(removed),
      unmatched: tellNames(stored.filter(({ is_matched }) => !is_matched)),
    },
    findings: await tellFindings(db, { stored, removed, findings, before: before.findings }),
  }
}

async function requireRoom(db: Db, org_id: number, known: InventoryHead | undefined, count: number) {
  const used = await db
    .select({
      inventories: sql<number>`count(*)`,
      components: sql<number>`coalesce(sum(${inventories.components_count}), 0)`,
    })
    .from(inventories)
    .where(and(eq(inventories.org_id, org_id), ne(inventories.id, known?.id ?? 0)))
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

type StoredKey = { id: number; key: string; name: string; version: string | null }

async function findStored(db: Db, org_id: number, inventory_id: number) {
  const { id, key, name, version } = inventoryComponents
  const { component_id, vuln_id, confidence, fixed_in } = inventoryFindings
  const status = sql<Finding['status']>`${inventoryFindings.status}`
  const isOwn = (table: typeof inventoryComponents | typeof inventoryFindings) =>
    and(eq(table.org_id, org_id), eq(table.inventory_id, inventory_id))
  const [components, findings] = await db.batch([
    db.select({ id, key, name, version }).from(inventoryComponents).where(isOwn(inventoryComponents)),
    db
      .select({ component_id, vuln_id, status, confidence, fixed_in })
      .from(inventoryFindings)
      .where(isOwn(inventoryFindings)),
  ])
  return {
    components: new Map<string, StoredKey>(components.map((one) => [one.key, one])),
    findings: new Map<string, KnownFinding>(findings.map((one) => [findingKey(one), one])),
  }
}

const findingKey = ({ component_id, vuln_id }: Pick<Finding, 'component_id' | 'vuln_id'>) =>
  `${component_id} ${vuln_id}`

// A component that was here before keeps its id, and with it what was decided about it.
function giveIds({ components }: ReadInventory, before: Map<string, StoredKey>) {
  let last = Math.max(0, ...[...before.values()].map(({ id }) => id))
  return components.map((component) => ({ ...component, id: before.get(component.key)?.id ?? ++last }))
}

async function nextId(db: Db, org_id: number) {
  const row = await db
    .select({ last: max(inventories.id) })
    .from(inventories)
    .where(eq(inventories.org_id, org_id))
    .get()
  return (row?.last ?? 0) + 1
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
}

async function tellFindings(db: Db, { stored, removed, findings, before }: Compared): Promise<PutAnswer['findings']> {
  const after = new Set(findings.map(findingKey))
  const added = findings.filter((finding) => !before.has(findingKey(finding)))
  const gone = [...before].filter(([key]) => !after.has(key)).map(([, finding]) => finding)
  const shown = [...added.slice(0, maxListed), ...gone.slice(0, maxListed)]
  const ids = JSON.stringify([...new Set(shown.map(({ vuln_id }) => vuln_id))])
  const names = await db.all<{ id: number; cveid: string | null }>(sql`
    SELECT v.id, CASE WHEN v.org_id IS NULL THEN v.cveid END AS cveid
    FROM jsonb_each(${ids}) j JOIN vulns v ON v.id = j.value`)
  const cveids = new Map(names.map(({ id, cveid }) => [id, cveid]))
  const byId = new Map<number, { name: string; version: string | null }>(
    [...removed, ...stored].map((one) => [one.id, one]),
  )
  const tell = (list: KnownFinding[]) => ({
    count: list.length,
    first: list.slice(0, maxListed).map(({ vuln_id, component_id, status, fixed_in }) => ({
      vuln_id,
      cveid: cveids.get(vuln_id) ?? null,
      component: byId.get(component_id)?.name ?? '',
      version: byId.get(component_id)?.version ?? null,
      status,
      fixed_in,
    })),
  })
  return { new: tell(added), gone: tell(gone) }
}
