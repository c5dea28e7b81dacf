import { sql } from 'drizzle-orm'
import type { AuditedWrite, By } from '../../auth/audited-by'
import { abort, isAborted, refuseBeyond } from '../../db/guard'
import { jsonChunks } from '../../db/bulk'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { stamp } from '../../db/time'
import { watchedKinds } from '../../domain/names/watch-item'
import { Failure, overQuota } from '../../http/errors'
import { orTooManyMonitored, detailStatements } from '../../watchlist/set-details'
import { writeMatching } from '../../watchlist/match-due'
import { judgeRuns } from '../../exposure/watch-due'
import { writeRemoving } from '../removed/lists'
import { exposureStatements, tooManyExposed } from '../../watchlist/set-exposure'
import { monitorStatements } from '../../watchlist/set-monitored'
import type { ImportPlan } from './plan'

export const maxAwaited = 20_000

/** The lines of what it removes, and of what it changes. */
type Applied = { kb_version: number; gone: string[][]; changed: string[][]; write: AuditedWrite }

export async function applyImport(db: Db, plan: ImportPlan, { kb_version, ...lines }: Applied, by: By) {
  const { now } = by
  const { org_id } = by.actor
  const judging: Awaited<ReturnType<typeof judgeRuns>>[] = []
  for (const kind of watchedKinds) judging.push(await judgeRuns(db, org_id, kind, plan.put[kind]))
  const set = (kind: (typeof watchedKinds)[number], ids: number[], monitored: boolean) =>
    ids.length ? monitorStatements(db, org_id, { kind, ids, monitored, now }) : []
  try {
    const changed = watchedKinds.map((kind) => {
      const ids = [...plan.reviewed[kind], ...plan.removed[kind], ...(kind === 'product' ? plan.excluded : [])]
      return { kind, ids: [...new Set(ids)] }
    })
    const writes = [
      guardNames(db, plan, kb_version),
      ...watchedKinds.flatMap((kind) => set(kind, plan.removed[kind], false)),
      ...set('vendor', plan.added.vendor, true),
      // The status starts anew with the monitoring.
      ...set('vuln', plan.added.vuln, true),
      ...watchedKinds.flatMap((kind) => detailStatements(db, org_id, { kind, items: plan.put[kind], now })),
      ...judging.flatMap(({ statements }) => statements),
      ...set('product', plan.excluded, false),
      ...exposureStatements(db, org_id, plan.exposed),
      ...awaitStatements(db, org_id, plan, now),
    ]
    const matching_count = await writeMatching(db, org_id, changed, (matched) =>
      writeRemoving(db, lines, by, [...writes, ...matched]),
    )
    // Mostly the same items wait for both.
    const pending_count = Math.max(
      matching_count,
      judging.reduce((sum, one) => sum + one.pending_count, 0),
    )
    if (pending_count) await by.env.VERDICTS.send({ reason: 'due' })
    return pending_count
  } catch (error) {
    if (isAborted(error, 'knowledge base')) throw changedMeanwhile()
    if (isAborted(error, 'exposures')) throw tooManyExposed()
    if (isAborted(error, 'quota')) throw tooManyAwaited()
    orTooManyMonitored(error)
  }
}

const changedMeanwhile = () =>
  new Failure(409, 'conflict', 'The knowledge base is being written: try again in a moment')

const tooManyAwaited = () =>
  overQuota(
    `Your organization waits for ${maxAwaited.toLocaleString('en-US')} names that nobody knows yet: remove some first`,
  )

// A name that is awaited must not have come since it was looked up. A merge under way has asked whether anybody awaits
// anything: where nobody did until now, it has to ask again; else it looks at the very rows that are written here.
const guardNames = (db: Db, { awaited }: ImportPlan, kb_version: number) =>
  statement(
    db,
    awaited.length
      ? sql`UPDATE counters SET value =
            CASE WHEN value = ${kb_version} THEN value + (NOT EXISTS (SELECT 1 FROM awaited_names)) ELSE ${abort('knowledge base')} END
          WHERE name = 'kb_version'`
      : sql`SELECT 1`,
  )

function awaitStatements(db: Db, org_id: number, { awaited, forgotten }: ImportPlan, now: Date) {
  const gone = jsonChunks(forgotten.map(({ kind, value }) => [kind, value])).flatMap((json) => {
    const names = sql`(SELECT j.value->>0, j.value->>1 FROM jsonb_each(${json}) j)`
    return [
      sql`DELETE FROM awaited WHERE org_id = ${org_id} AND (kind, value) IN ${names}`,
      sql`DELETE FROM awaited_names WHERE org_id = ${org_id} AND (kind, value) IN ${names}`,
    ]
  })
  const rows = awaited.map(({ kind, value, groups, versions }) => [
    kind,
    value,
    groups.length ? JSON.stringify(groups) : null,
    versions.length ? JSON.stringify(versions) : null,
  ])
  const put = jsonChunks(rows).flatMap((json) => [
    sql`INSERT INTO awaited(org_id, kind, value, groups, versions, created_at)
      SELECT ${org_id}, j.value->>0, j.value->>1, j.value->>2, j.value->>3, ${stamp(now)} FROM jsonb_each(${json}) j WHERE TRUE
      ON CONFLICT DO UPDATE SET groups = excluded.groups, versions = excluded.versions`,
    sql`INSERT INTO awaited_names(kind, value, org_id) SELECT j.value->>0, j.value->>1, ${org_id} FROM jsonb_each(${json}) j WHERE TRUE
      ON CONFLICT DO NOTHING`,
  ])
  const within = rows.length
    ? [refuseBeyond(sql`SELECT count(*) FROM awaited WHERE org_id = ${org_id}`, maxAwaited)]
    : []
  return [...gone, ...put, ...within].map((template) => statement(db, template))
}
