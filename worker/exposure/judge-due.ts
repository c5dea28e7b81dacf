import { and, eq, gt, ne, sql, sum, lt } from 'drizzle-orm'
import { jsonChunks, readBulk } from '../db/bulk'
import type { Db } from '../db/open'
import { abortUnless } from '../db/guard'
import { statement } from '../db/statement'
import { plusSeconds, stamp } from '../db/time'
import { toRunVerdict } from '../domain/versions/affected'
import { verdictRank } from '../domain/versions/verdict'
import { inventories, inventoryDue, judgeTurns } from '../schema/inventories'
import { lastMatched, matchItems } from '../watchlist/match-due'
import { isOvertaken, requireRevision } from './require-revision'
import { maxFindings, takeWithin, turnComparisons, type Priced } from './budget'
import { findingKey, judgeComponents, type Finding, type KeptNames, type Verdicts } from './judge'
import {
  anyVuln,
  findFirstDue,
  goneComponent,
  removeDue,
  requireDue,
  allComponents,
  noteAgain,
  dueOrgs,
} from './note-due'
import type { DuePair } from './note-due'
import { toJudged, type NamedComponent } from './targets'
import { judgeWatched } from './watch-due'
import { countDay, watchFound, writeCompared, writeFindings, writeMatched } from './write-findings'
import { literal } from '../db/values'

const chunkPairs = 2_000
/** New components that are looked at for a turn. */
const chunkNew = 250
/** Alerts wait for a step at most, so it is short. */
const oneStep = { turns: 8, ms: 3_000 }
/** An organization that caused more within an hour has steps of its own. */
const shortComparisons = 100_000
/** An organization that caused more within an hour waits behind everybody. */
const hourlyComparisons = 20_000_000

/** A worker that died holds an organization up for so long. */
const lease_s = 30

/**
 * One step: organizations take turns; those with little to judge, or that caused little within this hour, come first. Several steps may
 * run at once, each with another organization. A batch takes what it judged off the list, so a run that stops leaves the others to
 * the next; true when nothing is left that nobody judges. A failure stops nobody else, and is told at the end.
 */
export async function rejudgeDue(db: Db, now: Date, { turns, ms } = oneStep) {
  const failures = new Map<number, unknown>()
  const judged = new Map<string, Place>()
  const kept: KeptNames = { org_id: 0, names: new Map() }
  const began = Date.now()
  const isOver = (turn: number) => turn >= turns || Date.now() - began >= ms
  let last = 0
  for (let turn = 0; !isOver(turn); turn++) {
    const [next] = await claimNext(db, now, [...failures.keys()])
    if (!next) break
    const { org_id, used } = next
    // Those whose verdicts are found are told before much is judged for another one.
    const isLeft = turn > 0 && org_id !== last && used > shortComparisons
    if (!isLeft)
      await rejudgeOrg(db, org_id, { now, kept }).then(
        (place) => place && judged.set(`${place.org_id} ${place.inventory_id}`, place),
        // An organization that wrote meanwhile is judged in the next turn.
        (error: unknown) => isOvertaken(error) || failures.set(org_id, error),
      )
    await db.update(judgeTurns).set({ leased_until: null }).where(eq(judgeTurns.org_id, org_id))
    if (isLeft) break
    last = org_id
  }
  for (const place of judged.values()) await db.$client.batch(countDay(db, { ...place, now }))
  for (const error of failures.values()) throw error
  return (await countToJudge(db, now, 1)) === 0
}

/** How many organizations, up to `most`, wait for verdicts that nobody judges now. */
export async function countToJudge(db: Db, now: Date, most: number) {
  const rows = await db.all(sql`
    SELECT 1 FROM (${dueOrgs}) w LEFT JOIN judge_turns t ON t.org_id = w.org_id WHERE ${isFree(now)} LIMIT ${most}`)
  return rows.length
}

const thisHour = (now: Date) => stamp(now).slice(0, 13)
const isFree = (now: Date) => sql`coalesce(t.leased_until, '') <= ${stamp(now)}`

const claimNext = (db: Db, now: Date, failed: number[]) =>
  db.all<{ org_id: number; used: number }>(sql`
    INSERT INTO judge_turns(org_id, hour, used, leased_until)
    WITH waiting AS MATERIALIZED (
      SELECT o.id AS org_id, coalesce(iif(t.hour = ${thisHour(now)}, t.used, 0), 0) AS used,
        (SELECT count(*) FROM (SELECT 1 FROM inventory_due d WHERE d.org_id = o.id AND d.inventory_id > ${lastMatched} LIMIT ${chunkPairs})) AS due,
        o.is_active = 0 OR coalesce(o.trial_ends_at <= ${stamp(now)}, 0) AS is_over
      FROM (${dueOrgs}) w CROSS JOIN orgs o ON o.id = w.org_id LEFT JOIN judge_turns t ON t.org_id = o.id
      WHERE ${isFree(now)} AND o.id NOT IN (SELECT value FROM json_each(${JSON.stringify(failed)})))
    SELECT org_id, ${thisHour(now)}, used, ${stamp(plusSeconds(now, lease_s))} FROM waiting
    WHERE TRUE ORDER BY is_over, used > ${hourlyComparisons}, due >= ${chunkPairs}, used, due, org_id LIMIT 1
    ON CONFLICT DO UPDATE SET hour = excluded.hour, used = excluded.used, leased_until = excluded.leased_until
    RETURNING org_id, used`)

type Step = { now: Date; kept: KeptNames }

/** Watched items, changes of judged components, items to match, new components: the place of which the day is still to be counted. */
async function rejudgeOrg(db: Db, org_id: number, step: Step) {
  const compared = await judgeWatched(db, org_id)
  if (compared) return countTurn(db, org_id, compared, step.now)
  const noted = await findFirstDue(db, org_id, isChanged, chunkPairs)
  const isSpread = !noted && (await spreadDue(db, org_id))
  const changed = isSpread ? await findFirstDue(db, org_id, isChanged, chunkPairs) : noted
  if (isSpread && !changed) return null
  const matched = !changed && (await matchItems(db, org_id))
  if (matched) return countTurn(db, org_id, matched, step.now)
  const due = changed ?? (await findFirstDue(db, org_id, eq(inventoryDue.vuln_id, anyVuln), chunkNew))
  if (!due) return unwatchGone(db, org_id)
  const { place, pairs, count } = due
  const isAll = !changed && pairs.length === count && count < chunkNew
  const turn = { pairs, rows: await findRows(db, place, pairs), isAll, ...step }
  return (await (changed ? rejudge(db, place, turn) : judgeNew(db, place, turn))) ? null : place
}

const isChanged = and(ne(inventoryDue.vuln_id, anyVuln), gt(inventoryDue.component_id, goneComponent))

const countTurn = (db: Db, org_id: number, count: number, now: Date) =>
  db.run(countComparisons(org_id, count, now)).then(() => null)

/** Vulnerabilities that an inventory brings no longer, now that all of it is judged. */
async function unwatchGone(db: Db, org_id: number) {
  const due = await findFirstDue(db, org_id, eq(inventoryDue.component_id, goneComponent), chunkPairs)
  if (!due) return null
  const { place, pairs } = due
  const isWaiting = sql`EXISTS (SELECT 1 FROM inventory_due WHERE org_id = ${org_id} AND inventory_id = ${place.inventory_id} AND vuln_id = ${anyVuln})`
  await db.$client.batch([
    statement(db, abortUnless(sql`NOT ${isWaiting}`, 'inventory')),
    ...removeDue(db, place, pairs),
    ...watchFound(db, { ...place, changed: listVulns(pairs) }),
  ])
  return null
}

const countComparisons = (org_id: number, count: number, now: Date) => sql`
  INSERT INTO judge_turns(org_id, hour, used) VALUES (${org_id}, ${thisHour(now)}, ${count})
  ON CONFLICT DO UPDATE SET used = iif(judge_turns.hour = excluded.hour, judge_turns.used, 0) + excluded.used, hour = excluded.hour`

type Place = { org_id: number; inventory_id: number }
type Row = NamedComponent & { revision: number; changes: number }
/** `isAll`: these are all new components of the organization. */
type Turn = Step & { pairs: DuePair[]; rows: Row[]; isAll: boolean }

const findRows = (db: Db, { org_id, inventory_id }: Place, pairs: DuePair[]) =>
  readBulk<Row>(
    db,
    `SELECT c.id, c.version, c.purl, c.cpe, i.revision, i.changes FROM jsonb_each(?1) j
     CROSS JOIN inventory_components c ON c.org_id = ?2 AND c.inventory_id = ?3 AND c.id = j.value
     CROSS JOIN inventories i ON i.org_id = c.org_id AND i.id = c.inventory_id`,
    [...new Set(pairs.map(({ component_id }) => component_id))],
    org_id,
    inventory_id,
  )

/** New components, as many as fit into a turn. Notes of a merge on them have rows of their own, which stay. */
async function judgeNew(db: Db, place: Place, { pairs, rows, isAll, now, kept }: Turn) {
  const { taken, items } = await takeWithin(db, rows.map(toJudged), { limit: turnComparisons, least: 1, kept })
  const isFull = await hasMaxFindings(db, place)
  const verdicts = isFull ? leaveUncompared(taken) : await judgeComponents(db, place.org_id, taken, { items, kept })
  const isLast = isAll && taken.length === rows.length
  const done = new Set(taken.map(({ component_id }) => component_id))
  const known = new Set(rows.map(({ id }) => id))
  const findings = [...verdicts.values()].flatMap((verdict) => verdict.findings)
  const changed = await findUnwatched(db, place, findings)
  const [first] = rows
  const compared = [...verdicts.values()].reduce((all, verdict) => all + verdict.judged_count, 0)
  await db.$client.batch([
    ...(first ? [requireRevision(db, { ...first, org_id: place.org_id, id: place.inventory_id })] : []),
    ...removeDue(
      db,
      place,
      pairs.filter(({ component_id }) => done.has(component_id) || !known.has(component_id)),
    ),
    statement(db, countComparisons(place.org_id, compared, now)),
    ...writeCompared(db, place, verdicts),
    ...writeFindings(db, { ...place, findings, closed: [], changed, now, by: 'document' }),
    ...(isLast ? countDay(db, { ...place, now }) : []),
  ])
  return isLast
}

/** Of the vulnerabilities of these findings, those that the inventory does not make its organization watch already, as badly affected. */
async function findUnwatched(db: Db, { org_id, inventory_id }: Place, findings: Finding[]) {
  const worst = new Map<number, number>()
  for (const { vuln_id, status, confidence } of findings)
    worst.set(vuln_id, Math.max(worst.get(vuln_id) ?? 0, verdictRank(toRunVerdict({ status, confidence }))))
  const answers = await Promise.all(
    jsonChunks([...worst]).map((json) =>
      db.all<{ vuln_id: number }>(sql`
        SELECT j.value->>0 AS vuln_id FROM jsonb_each(${json}) j WHERE NOT EXISTS (
          SELECT 1 FROM inventory_vulns m WHERE m.vuln_id = j.value->>0 AND m.org_id = ${org_id}
            AND m.inventory_id = ${inventory_id} AND m.verdict >= j.value->>1)`),
    ),
  )
  return answers.flat().map(({ vuln_id }) => vuln_id)
}

async function hasMaxFindings(db: Db, { org_id, inventory_id }: Place) {
  const { findings_count, id } = inventories
  const [row] = await db
    .select({ found: sum(findings_count), own: sum(sql`iif(${id} = ${inventory_id}, ${findings_count}, 0)`) })
    .from(inventories)
    .where(eq(inventories.org_id, org_id))
  return Number(row?.found ?? 0) >= maxFindings.organization || Number(row?.own ?? 0) >= maxFindings.inventory
}

const leaveUncompared = (taken: Priced[]) =>
  new Map(
    taken.map(({ component_id, said }): [number, Verdicts] => [
      component_id,
      { is_matched: said > 0, judged_count: 0, unjudged_count: said, findings: [] },
    ]),
  )

async function rejudge(db: Db, place: Place, { pairs, rows, now }: Turn) {
  const changed = listVulns(pairs)
  const byComponent = Map.groupBy(pairs, ({ component_id }) => component_id)
  const only = new Map([...byComponent].map(([id, duePairs]) => [id, listVulns(duePairs)]))
  const verdicts = await judgeComponents(db, place.org_id, rows.map(toJudged), { only })
  const wanted = new Set(pairs.map(findingKey))
  const findings = [...verdicts.values()]
    .flatMap((verdict) => verdict.findings)
    .filter((finding) => wanted.has(findingKey(finding)))
  const found = new Set(findings.map(findingKey))
  await db.$client.batch([
    ...requireSame(db, place, rows),
    ...requireDue(db, place, pairs),
    ...removeDue(db, place, pairs),
    statement(db, countComparisons(place.org_id, pairs.length, now)),
    ...(rows.length
      ? [
          ...writeMatched(db, place, verdicts),
          ...writeFindings(db, {
            ...place,
            findings,
            closed: pairs.filter((pair) => !found.has(findingKey(pair))),
            changed,
            now,
            by: 'change',
          }),
          ...(pairs.length < chunkPairs ? countDay(db, { ...place, now }) : []),
        ]
      : []),
  ])
  return pairs.length < chunkPairs
}

/** A document sent anew meanwhile was judged whole, or noted. */
const requireSame = (db: Db, { org_id, inventory_id }: Place, [first]: Row[]) =>
  first ? [requireRevision(db, { org_id, id: inventory_id, revision: first.revision })] : []

const listVulns = (pairs: Pick<DuePair, 'vuln_id'>[]) => [...new Set(pairs.map(({ vuln_id }) => vuln_id))]

const perStep = 2_000

/**
 * Writes out the components for which rows of one inventory stand, until a step has enough: what a row has left stands after the last one.
 * False where no such row waits.
 */
export async function spreadDue(db: Db, org_id: number) {
  const standing = await findFirstDue(db, org_id, lt(inventoryDue.component_id, 0), perStep)
  if (!standing) return false
  const { place, pairs: rows } = standing
  const found = await findNamed(db, place, rows)
  const pairs = rows.slice(0, found.length).flatMap((row, at) => {
    const ids = found[at] ?? []
    const left = ids.length === perStep ? ids.slice(-1).map((last) => allComponents - last) : []
    return [...ids, ...left].map((id) => [id, row.vuln_id])
  })
  await db.$client.batch([...noteAgain(db, place, pairs), ...removeDue(db, place, rows.slice(0, found.length))])
  return true
}

/** The components of each row, row after row until there are enough. Of names that were taken from the vulnerability only the findings are left. */
async function findNamed(db: Db, place: { org_id: number; inventory_id: number }, rows: DuePair[]) {
  const json = JSON.stringify(rows.map((row) => [allComponents - row.component_id, row.vuln_id]))
  const isBehind = (alias: string) => sql`${sql.raw(alias)}.org_id = ${place.org_id}
    AND ${sql.raw(alias)}.inventory_id = ${place.inventory_id} AND ${sql.raw(alias)}.component_id > next ->> 0`
  const named = (kind: string, table: string, first: string) => sql`
    SELECT m.component_id FROM ${sql.raw(`vuln_${table}`)} l CROSS JOIN ${sql.raw(table)} n ON n.id = l.${sql.raw(`${kind}_id`)}
    CROSS JOIN inventory_matches m ON m.kind = ${kind} AND m.first = n.${sql.raw(first)} AND m.name = n.name AND ${isBehind('m')}
    WHERE l.vuln_id = next ->> 1`
  const found = await db.all<{ ids: string }>(sql`
    WITH RECURSIVE taken(at, next, count, ids) AS (
      SELECT 0, ${json} -> 0, 0, '[]'
      UNION ALL SELECT at + 1, ${json} -> (at + 1), count + json_array_length(ids), (SELECT json_group_array(component_id) FROM (
        ${named('package', 'packages', 'type')} UNION ${named('product', 'products', 'vendor')}
        UNION SELECT f.component_id FROM inventory_findings f WHERE ${isBehind('f')} AND f.vuln_id = next ->> 1 ORDER BY 1 LIMIT ${literal(perStep)}))
      FROM taken WHERE next IS NOT NULL AND count + json_array_length(ids) < ${literal(perStep)})
    SELECT ids FROM taken WHERE at > 0 ORDER BY at`)
  return found.map(({ ids }) => JSON.parse(ids) as number[])
}
