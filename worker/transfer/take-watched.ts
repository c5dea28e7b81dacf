import { auditedBy } from '../auth/audited-by'
import { breatheThrough } from '../db/readers'
import { createVuln } from '../editing/save'
import { Failure } from '../http/errors'
import { findInventories } from '../inventories/find-inventories'
import { markOwnProduct } from '../inventories/inventory'
import { BadDocument } from '../inventories/read/bad-document'
import { addPart, newDraft } from '../inventories/read/part'
import { tidy } from '../inventories/read/tidy'
import { saveReadInventory } from '../inventories/sync'
import { quoteCell } from '../monitoring/cells'
import { importRows } from '../monitoring/import/import'
import { exposureEntry, findGroupExposures, setExposure } from '../watchlist/set-exposure'
import { takeAll, takeEach, findReferences, formatOwn } from './take-each'
import type { Importing, Numbered, TakenCounts } from './take-each'
import type { TransferRecord } from './records'

export async function takeOwnVulns({ db, by }: Importing, records: Numbered<'own_vulnerability'>[]) {
  const { org_id } = by.actor
  const find = (keys: string[]) => findReferences(db, org_id, keys.map(formatOwn))
  const known = await find(records.map(({ record }) => record.key))
  return takeEach(
    records,
    ({ summary }) => summary.slice(0, 100),
    async ({ key, ...form }) => {
      if (known.has(formatOwn(key))) return 'already'
      const create = (cve_id: string | null | undefined) =>
        createVuln({ db, ...by }, { ...form, cve_id, products: [], monitored: false, scope: 'private' }, key)
      try {
        await create(form.cve_id)
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== 'exists') throw error
        if ((await find([key])).size) return 'already'
        // Published meanwhile, its CVE is a vulnerability of its own here.
        await create(undefined)
      }
      return 'added'
    },
  )
}

/** Items watched here already stay as they are. */
export const takeWatched = ({ db, by }: Importing, records: Numbered<'watch'>[]) =>
  takeAll(
    records,
    ({ value }) => value,
    async (): Promise<TakenCounts> => {
      const values = records.flatMap(({ record }) => (record.type === 'vuln' ? record.value : []))
      const ids = await findReferences(db, by.actor.org_id, values)
      const header = ['type', 'value', 'groups', 'versions', 'monitored', 'publicly_exposed']
      const rows = records.map(({ record }) => toRow(record, ids))
      const request = { mode: 'restore' as const, dry_run: false, fixes: [] }
      const reply = await importRows(db, [header, ...rows], request, by)
      const added = reply.added + reply.changed + reply.awaited
      const left = reply.unknown
        .filter(({ awaited }) => !awaited)
        .map(({ line, reason }) => ({
          line: records[line - 2]?.line ?? 0,
          name: records[line - 2]?.record.value ?? '',
          reason,
        }))
      return { added, already: records.length - added - left.length, left }
    },
  )

const say = (flag: boolean | null) => (flag === null ? '' : flag ? 'yes' : 'no')

function toRow(record: TransferRecord<'watch'>, ids: Map<string, number>) {
  const { type, value, groups, versions, monitored, publicly_exposed } = record
  const id = type === 'vuln' ? ids.get(value) : undefined
  const named = id === undefined ? quoteCell(value) : `PH-${id}`
  return [type, named, groups.join(';'), versions.join(';'), say(monitored), say(publicly_exposed)]
}

export async function takeGroups({ db, by }: Importing, records: Numbered<'group'>[]) {
  const known = new Set((await findGroupExposures(db, by.actor.org_id)).map(({ label }) => label))
  return takeEach(
    records,
    ({ label }) => label,
    async ({ label, publicly_exposed }) => {
      if (known.has(label)) return 'already'
      const entry = exposureEntry(`group ${label}`, publicly_exposed)
      const exposed = { kind: 'group' as const, label, publicly_exposed }
      if (await setExposure(db, by.actor.org_id, exposed, (all) => auditedBy(db, all, entry, by)))
        await by.env.VERDICTS.send({ reason: 'due' })
      return 'added'
    },
  )
}

/** One of the same name here stays; news told where the file comes from are not told again. */
export const takeInventories = ({ db, by }: Importing, records: Numbered<'inventory'>[]) =>
  takeEach(
    records,
    ({ name }) => name,
    async (record) => {
      const { org_id } = by.actor
      const { name, publicly_exposed } = record
      const known = (await findInventories(db, org_id)).find((inventory) => inventory.name === name)
      const { id } = known ?? (await addInventory({ db, by }, record))
      if (publicly_exposed !== null && (known?.publicly_exposed ?? null) === null) {
        const entry = exposureEntry(`inventory ${name}`, publicly_exposed)
        const exposed = { kind: 'inventory' as const, ids: [id], publicly_exposed }
        if (await setExposure(db, org_id, exposed, (all) => auditedBy(db, all, entry, by)))
          await by.env.VERDICTS.send({ reason: 'due' })
      }
      if (record.is_own_product) await markOwnProduct(db, { name, is_own_product: true }, by)
      return known ? 'already' : 'added'
    },
  )

async function addInventory({ db, by }: Importing, record: TransferRecord<'inventory'>) {
  const given = { name: record.name, read: await toRead(record), now: by.now, tells: 'nothing' as const }
  const { inventory } = await saveReadInventory(db, by.actor.org_id, given)
  if (inventory.pending_count) await by.env.VERDICTS.send({ reason: 'due' })
  return inventory
}

/** Checked like a document; only the paths come from the file, as the dependencies that they were made of stayed. */
async function toRead({ format, subject, components }: TransferRecord<'inventory'>) {
  const draft = { ...newDraft(format), subject }
  try {
    for (const [at, { key: _, path: __, ...component }] of components.entries())
      addPart(draft, component, `components[${at}]`)
  } catch (error) {
    if (!(error instanceof BadDocument)) throw error
    throw new Failure(400, 'invalid_document', error.message)
  }
  const read = await breatheThrough(tidy(draft))
  const paths = new Map(components.map(({ key, path }) => [key, path]))
  return { ...read, components: read.components.map((part) => ({ ...part, path: paths.get(part.key) ?? part.path })) }
}
