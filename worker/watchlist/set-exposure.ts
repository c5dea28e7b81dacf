import { sql } from 'drizzle-orm'
import { isAborted, refuseBeyond } from '../db/guard'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { watchedKinds, type ExposedKind, type WatchedKind } from '../domain/names/watch-item'
import { overQuota } from '../http/errors'
import { writeMatching } from './match-due'
import type { Write } from './set-monitored'

export type ExposedItems = { kind: WatchedKind; ids: number[] } | { kind: 'group'; label: string }
type Exposed = ExposedItems | { kind: 'inventory'; ids: number[] }

/** So many words on exposure an organization keeps. */
const maxExposures = 20_000

/** Null takes the word back. Affected vulnerabilities get their new due dates in the same batch, or in steps: answers how many items wait. */
export async function setExposure(
  db: Db,
  org_id: number,
  { publicly_exposed, ...exposed }: Exposed & { publicly_exposed: boolean | null },
  write: Write,
) {
  const { kind } = exposed
  const [ids, label] = kind === 'group' ? [[0], exposed.label] : [exposed.ids, '']
  const follow = kind === 'group' ? await findInGroup(db, org_id, label) : [exposed]
  const said = [writeExposures(org_id, { kind, label, ids, publicly_exposed }), withinLimit(org_id)]
  try {
    return await writeMatching(db, org_id, follow, (matched) =>
      write([...said.map((one) => statement(db, one)), ...matched]),
    )
  } catch (error) {
    throw isAborted(error, 'exposures') ? tooManyExposed() : error
  }
}

/** For the log. */
export const exposureEntry = (target: string, publicly_exposed: boolean | null) => ({
  action: 'monitoring.expose' as const,
  target,
  detail: { publicly_exposed: publicly_exposed ?? 'not known' },
})

type Said = { kind: ExposedKind; label: string; ids: number[]; publicly_exposed: boolean | null }

function writeExposures(org_id: number, { kind, label, ids, publicly_exposed }: Said) {
  const items = sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`
  return publicly_exposed === null
    ? sql`DELETE FROM public_exposures WHERE org_id = ${org_id} AND kind = ${kind} AND label = ${label} AND item_id IN ${items}`
    : sql`INSERT INTO public_exposures(org_id, kind, item_id, label, is_exposed)
        SELECT ${org_id}, ${kind}, value, ${label}, ${Number(publicly_exposed)} FROM ${items} WHERE TRUE
        ON CONFLICT DO UPDATE SET is_exposed = excluded.is_exposed`
}

const withinLimit = (org_id: number) =>
  refuseBeyond(sql`SELECT count(*) FROM public_exposures WHERE org_id = ${org_id}`, maxExposures, 'exposures')

/** For a batch that makes the due dates of these anew after it. */
export function exposureStatements(
  db: Db,
  org_id: number,
  items: { kind: WatchedKind; id: number; publicly_exposed: boolean | null }[],
) {
  if (!items.length) return []
  const writes = [...Map.groupBy(items, ({ kind, publicly_exposed }) => `${kind} ${publicly_exposed}`).values()]
  const said = writes.flatMap((own) => {
    const [first] = own
    return first ? [writeExposures(org_id, { ...first, label: '', ids: own.map(({ id }) => id) })] : []
  })
  return [...said, withinLimit(org_id)].map((one) => statement(db, one))
}

export const tooManyExposed = () =>
  overQuota(
    `Your organization already says of ${maxExposures.toLocaleString('en-US')} items whether the public reaches them: clear some first`,
  )

async function findInGroup(db: Db, org_id: number, label: string) {
  const items = await db.all<{ kind: WatchedKind; item_id: number }>(
    sql`SELECT g.kind, g.item_id FROM watch_groups g WHERE g.org_id = ${org_id} AND g.label = ${label}`,
  )
  return watchedKinds.flatMap((kind) => {
    const ids = items.filter((item) => item.kind === kind).map(({ item_id }) => item_id)
    return ids.length ? [{ kind, ids }] : []
  })
}

export async function findGroupExposures(db: Db, org_id: number) {
  const rows = await db.all<{ label: string; is_exposed: number }>(
    sql`SELECT e.label, e.is_exposed FROM public_exposures e WHERE e.org_id = ${org_id} AND e.kind = 'group' ORDER BY e.label`,
  )
  return rows.map(({ label, is_exposed }) => ({ label, publicly_exposed: is_exposed === 1 }))
}
