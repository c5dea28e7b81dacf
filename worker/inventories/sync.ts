import type { Db } from '../db/open'
import { Failure } from '../http/errors'
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
import type { StoredComponent } from './save'
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
const isOvertaken = (error: unknown) =>
  error instanceof Error && /inventories\.(?:revision|id|org_id)/.test(error.message)

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
  const before = known ? await readStored(db, org_id, known.id) : { components: new Map(), findings: new Map() }

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
  const used = await db.$client
    .prepare(
      'SELECT count(*) AS inventories, coalesce(sum(components_count), 0) AS components FROM inventories WHERE org_id = ?1 AND id <> ?2',
    )
    .bind(org_id, known?.id ?? 0)
    .first<{ inventories: number; components: number }>()
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

async function readStored(db: Db, org_id: number, id: number) {
  const [components, findings] = await db.$client.batch<StoredKey & Finding>([
    db.$client
      .prepare('SELECT id, key, name, version FROM inventory_components WHERE org_id = ?1 AND inventory_id = ?2')
      .bind(org_id, id),
    db.$client
      .prepare(
        'SELECT component_id, vuln_id, status, confidence, fixed_in FROM inventory_findings WHERE org_id = ?1 AND inventory_id = ?2',
      )
      .bind(org_id, id),
  ])
  return {
    components: new Map<string, StoredKey>(components?.results.map((one) => [one.key, one])),
    findings: new Map<string, Finding>(findings?.results.map((one) => [findingKey(one), one])),
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
  const row = await db.$client
    .prepare('SELECT coalesce(max(id), 0) + 1 AS id FROM inventories WHERE org_id = ?1')
    .bind(org_id)
    .first<{ id: number }>()
  return row?.id ?? 1
}

const tellNames = (components: { name: string; version: string | null }[]) => ({
  count: components.length,
  first: components.slice(0, maxListed).map(({ name, version }) => ({ name, version })),
})

type Compared = { stored: StoredComponent[]; removed: StoredKey[]; findings: Finding[]; before: Map<string, Finding> }

async function tellFindings(db: Db, { stored, removed, findings, before }: Compared): Promise<PutAnswer['findings']> {
  const after = new Set(findings.map(findingKey))
  const added = findings.filter((finding) => !before.has(findingKey(finding)))
  const gone = [...before].filter(([key]) => !after.has(key)).map(([, finding]) => finding)
  const shown = [...added.slice(0, maxListed), ...gone.slice(0, maxListed)]
  const names = await db.$client
    .prepare(
      'SELECT v.id, CASE WHEN v.org_id IS NULL THEN v.cveid END AS cveid FROM jsonb_each(?1) j JOIN vulns v ON v.id = j.value',
    )
    .bind(JSON.stringify([...new Set(shown.map(({ vuln_id }) => vuln_id))]))
    .all<{ id: number; cveid: string | null }>()
  const cveids = new Map(names.results.map(({ id, cveid }) => [id, cveid]))
  const byId = new Map<number, { name: string; version: string | null }>(
    [...removed, ...stored].map((one) => [one.id, one]),
  )
  const tell = (list: Finding[]) => ({
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
