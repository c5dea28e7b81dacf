import { sql } from 'drizzle-orm'
import { readyAuditBy, type By } from '../auth/audited-by'
import type { Db } from '../db/open'
import type { WatchedKind } from '../domain/names/watch-item'
import { notFound } from '../http/errors'
import { setDetails } from '../exposure/watch-due'
import { itemTables } from '../watchlist/item-tables'
import type { WatchItem } from '../watchlist/set-details'
import { exposureEntry, setExposure, type ExposedItems } from '../watchlist/set-exposure'
import { findVisible, nouns, setMonitored } from '../watchlist/set-monitored'
import { writeRemoving, describeItems, nameItems, findRemovedLines } from './removed/lists'

type Setting = { kind: WatchedKind; ids: number[]; monitored: boolean; isLenient?: boolean }

/** Answers as the calls of the specification do. */
export async function setKept(db: Db, setting: Setting, by: By) {
  await setAll(db, setting, by)
  return 'toggled.' as const
}

type Toggled = { kind: 'vendor' | 'product' | 'package'; id: number | undefined; names: string[][]; monitored: boolean }

/** By its id, or the first of its names that is known; 404 where there is none. */
export async function toggle(db: Db, { kind, id: given, names, monitored }: Toggled, by: By) {
  const { items, isNamed } = itemTables[kind]
  const rows = JSON.stringify(names.map((name) => ['', ...name]))
  const [found] =
    given === undefined
      ? await db.all<{ id: number }>(
          sql`SELECT i.id FROM json_each(${rows}) j CROSS JOIN ${items} i WHERE ${isNamed} ORDER BY j.key LIMIT 1`,
        )
      : [{ id: given }]
  if (!found) throw notFound(nouns[kind])
  return setKept(db, { kind, ids: [found.id], monitored }, by)
}

/**
 * Answers with what was set, how many items wait to be matched, and the key of the list by which removing several items at once, or a vendor
 * with rows of its products, can be taken back.
 */
export async function setAll(db: Db, { kind, ids, monitored, isLenient }: Setting, by: By) {
  const { org_id } = by.actor
  const key = crypto.randomUUID()
  let count = 0
  const readyRemoving = async () => {
    const [gone, write] = await Promise.all([findRemovedLines(db, org_id, { [kind]: ids }), readyAuditBy(db, by)])
    count = gone.length
    return (all: D1PreparedStatement[]) => writeRemoving(db, { gone, write, key }, by, all)
  }
  const wanted = { kind, ids, monitored, now: by.now, isLenient }
  const { set, matching_count } = await setMonitored(db, org_id, wanted, monitored ? undefined : readyRemoving)
  if (matching_count) await by.env.VERDICTS.send({ reason: 'due' })
  return { set, matching_count, key: count > 1 ? key : null }
}

type Change = { kind: WatchedKind; items: WatchItem[]; monitored: boolean }

/** Answers how many items wait to be compared or matched, and the undo of a removal of several. */
export async function setMonitoredItems(db: Db, { kind, items, monitored }: Change, by: By) {
  const { now } = by
  const { org_id } = by.actor
  const ids = [...new Set(items.map(({ id }) => id))]
  const isPlain = items.every(({ groups, versions }) => groups === undefined && versions === undefined)
  if (!monitored || isPlain) {
    const { matching_count, key } = await setAll(db, { kind, ids, monitored }, by)
    return { pending_count: matching_count, removed_list: key }
  }
  const [visible, watched, write] = await Promise.all([
    findVisible(db, org_id, kind, ids),
    findWatched(db, org_id, kind, ids),
    readyAuditBy(db, by),
  ])
  if (visible.length < ids.length) throw notFound('Item')
  const byId = new Map(items.map((item) => [item.id, item]))
  const set = { kind, items: [...byId.values()], now }
  const entry = describeSet(watched, set.items)
  const pending_count = await setDetails(db, org_id, set, entry && ((all) => write(all, entry)))
  if (pending_count) await by.env.VERDICTS.send({ reason: 'due' })
  return { pending_count, removed_list: null }
}

const findWatched = async (db: Db, org_id: number, kind: WatchedKind, ids: number[]) =>
  (await findRemovedLines(db, org_id, { [kind]: ids })).filter(([type]) => type === kind)

/** For the log, as versions and groups decide on alerts: nothing of what nobody watched, or where nothing changes. */
function describeSet(watched: string[][], [item, ...others]: WatchItem[]) {
  const [line] = watched
  if (!line || !item) return undefined
  const entry = { action: 'monitoring.update' as const, ...nameItems(watched) }
  if (others.length) return entry
  const [, , groups = '', versions = ''] = line
  const [before, now] = [
    { groups, versions },
    { groups: item.groups?.join(';') ?? groups, versions: item.versions?.join(';') ?? versions },
  ]
  const isSame = before.groups === now.groups && before.versions === now.versions
  return isSame ? undefined : { ...entry, detail: { before: inWords(before), now: inWords(now) } }
}

const inWords = ({ groups, versions }: { groups: string; versions: string }) =>
  [groups && `groups ${groups}`, versions && `versions ${versions}`].filter(Boolean).join(', ') || 'nothing said'

/** Of what the organization may see, whether or not it monitors it: a product of a monitored vendor has no row of its own. */
export async function exposeItems(db: Db, exposed: ExposedItems, publicly_exposed: boolean | null, by: By) {
  const { org_id } = by.actor
  const [target, write] = await Promise.all([requireExposed(db, org_id, exposed), readyAuditBy(db, by)])
  const entry = exposureEntry(target, publicly_exposed)
  if (await setExposure(db, org_id, { ...exposed, publicly_exposed }, (all) => write(all, entry)))
    await by.env.VERDICTS.send({ reason: 'due' })
}

/** Their names in the log. */
async function requireExposed(db: Db, org_id: number, exposed: ExposedItems) {
  if (exposed.kind === 'group') {
    await requireGroup(db, org_id, exposed.label)
    return `group ${exposed.label}`
  }
  const ids = [...new Set(exposed.ids)]
  const [visible, watched] = await Promise.all([
    findVisible(db, org_id, exposed.kind, ids),
    findWatched(db, org_id, exposed.kind, ids),
  ])
  if (visible.length < ids.length) throw notFound('Item')
  return watched.length === ids.length ? nameItems(watched).target : describeItems(ids.length)
}

async function requireGroup(db: Db, org_id: number, label: string) {
  const found = await db.all(
    sql`SELECT 1 FROM watch_groups g WHERE g.org_id = ${org_id} AND g.label = ${label} LIMIT 1`,
  )
  if (!found.length) throw notFound('Group')
}
