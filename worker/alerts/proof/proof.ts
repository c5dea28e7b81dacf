import { sql, type SQL } from 'drizzle-orm'
import { bulk } from '../../db/bulk'
import { noteError } from '../../db/error-text'
import type { Db } from '../../db/open'
import { plusDays, shiftDay, stamp, toDay } from '../../db/time'
import { literal } from '../../db/values'
import { RouteName } from '../../domain/alerts/alert-rules'
import { findNewModels, listEpssModels, toSeen } from '../../domain/scores/epss-models'
import { seenEpssModels } from '../../schema/feeds'
import { concernedThen } from '../../watchlist/monitored'
import { findSeqBefore } from '../change-log'
import { sameFields } from '../../http/fields'
import { MessageCounts, outcomes, type DayProof, type Doubt } from './contract'
import { plannedTo } from '../plan/waits'
import { judgeByRules, type CoveredChange, type JudgedByRules } from './by-rules'
import { addDocument, countMessages, findDocumentsTold } from './messages'

/** So many changes are counted in one statement, or as many more as a day has too many for so many statements: a night may ask a thousand times. */
const [perStatement, maxStatements] = [500, 12]
const maxDifferences = 50
/** So many of a day are judged again by the rules of then, of all organizations each night or of one at once, and as many that told nobody; and of each statement's changes. */
const maxJudged = { all: 20_000, single: 2_000 }
const perChunk = 2_000
/** A delivery may take 75 hours: so many days are counted again each night. */
const recountDays = 4

type ProofPlace = { day: string; org_id?: number }

/** Writes only what differs from the last count. */
export async function proveDays(db: Db, now: Date) {
  for (let ago = 1; ago <= recountDays; ago++) {
    const day = toDay(plusDays(now, -ago))
    const proofs = await recountDay(db, { day })
    const rows = [...proofs]
      .filter(([, { matched, messages }]) => matched || Object.keys(messages).length)
      .map(([org_id, proof]) => [org_id, day, JSON.stringify(proof), stamp(now)])
    const statements = bulk(
      db,
      `INSERT INTO alert_proofs(org_id, day, body, made_at) SELECT value->>0, value->>1, value->>2, value->>3 FROM jsonb_each(?1)
       WHERE EXISTS (SELECT 1 FROM orgs o WHERE o.id = value->>0)
       ON CONFLICT DO UPDATE SET body = excluded.body, made_at = excluded.made_at WHERE excluded.body <> alert_proofs.body AND alert_proofs.seal = ''`,
      rows,
    )
    if (statements.length) await db.$client.batch(statements)
  }
}

const countNames = ['matched', ...outcomes, 'doubled', 'minor'] as const
type Counted = Pick<DayProof, (typeof countNames)[number]> & { org_id: number }

/**
 * Derives from the change log and the watchlist what should have been told, and only then asks what was. A sample, which is all of it where
 * there is not much, is judged again by the rules as they stood.
 */
export async function recountDay(db: Db, { day, org_id }: ProofPlace) {
  const proofs = new Map<number, DayProof>()
  const proofFor = (org: number) => proofs.get(org) ?? (proofs.set(org, emptyProof(day)).get(org) as DayProof)
  const most = maxJudged[org_id === undefined ? 'all' : 'single']
  const left = { told: most, untold: most }
  const span = { org_id, start: startOn(day), end: startOn(shiftDay(day, 1)) }
  const read = [findChunks(db, day), countMessages(db, span), findDocumentsTold(db, span)] as const
  const [chunks, messages, documents] = await Promise.all(read)
  for (const changed of chunks) {
    const rows = await db.all<Counted>(countChunk(changed, org_id))
    for (const { org_id: org, ...counted } of rows) {
      const proof = proofFor(org)
      for (const name of countNames) proof[name] += counted[name]
    }
    const covered = rows.length ? await db.all<CoveredChange>(listCovered(changed, org_id, left)) : []
    for (const { outcome } of covered) left[outcome === 'untold' ? 'untold' : 'told']--
    for (const found of await judgeAgain(db, day, covered)) addJudged(proofs, found)
    if (!rows.some((counted) => counted.lost > 0 || counted.doubled > 0)) continue
    for (const { org_id: org, ...suspect } of await db.all<Suspect>(listDifferent(changed, org_id))) {
      const differences = proofs.get(org)?.differences
      for (const difference of describeDifferences(suspect)) note(differences, difference)
    }
  }
  for (const { org_id: org, channel, count } of messages) proofFor(org).messages[channel] = count
  for (const told of documents) addDocument(proofFor(told.org_id), told)
  return proofs
}

/** A row that cannot be read leaves the others of its statement unjudged, and nobody uncounted. */
async function judgeAgain(db: Db, day: string, covered: CoveredChange[]): Promise<JudgedByRules[]> {
  const leaveAll = (doubt: Doubt) => covered.map((change) => ({ changes: [change], missed: [], unasked: [], doubt }))
  if (!covered.length) return []
  if (!(await isComparable(db, day))) return leaveAll('model')
  return judgeByRules(db, covered).catch((error: unknown) => {
    noteError({ job: 'alert_proofs', day }, error)
    return leaveAll('values')
  })
}

/** A new model of EPSS moves provisional scores, and the log does not tell from where. */
async function isComparable(db: Db, day: string) {
  const [feed] = await db.all<{ seen: string | null }>(sql`SELECT ${seenEpssModels} AS seen`)
  return findNewModels(listEpssModels(toSeen(feed?.seen)), shiftDay(day, -1)).length === 0
}

function note(differences: DayProof['differences'] | undefined, difference: DayProof['differences'][number]) {
  if (differences && differences.length < maxDifferences) differences.push(difference)
}

/** An alert that the rules miss is lost, however the others of its messages went. */
function addJudged(proofs: Map<number, DayProof>, { changes, missed, unasked, doubt }: JudgedByRules) {
  for (const { org_id, vuln_id, seq: change, outcome } of changes) {
    const proof = proofs.get(org_id)
    if (!proof) continue
    const isMinor = outcome === 'untold' && !missed.length
    if (doubt) proof.unjudged[doubt] = (proof.unjudged[doubt] ?? 0) + 1
    else proof[isMinor ? 'minor_by_rules' : 'by_rules']++
    if (missed.length) {
      proof[outcome === 'untold' ? 'minor' : outcome]--
      if (outcome === 'untold') proof.matched++
      proof.lost++
      note(proof.differences, { vuln_id, change, problem: 'lost', channels: missed })
    }
    if (!unasked.length) continue
    proof.unasked++
    note(proof.differences, { vuln_id, change, problem: 'unasked', channels: unasked })
  }
}

export const proofCounts = [
  'matched',
  ...outcomes,
  'doubled',
  'unasked',
  'by_rules',
  'minor',
  'minor_by_rules',
] as const

export const emptyProof = (day: string): DayProof => ({
  day,
  ...sameFields([...proofCounts, 'documents'], 0),
  unjudged: {},
  messages: {},
  differences: [],
})

const startOn = (day: string) => `${day}T00:00:00Z`

/** A minor change is told where its score or EPSS passes the mark of a channel, or an advisory became part of something exploited. */
const mayFire = sql.raw(
  `(detail LIKE '%"field":"score"%' OR detail LIKE '%"field":"epss"%' OR detail LIKE '%"field":"joined"%')`,
)

/** Changes of a day that may be told, as selects of some hundred each. */
async function findChunks(db: Db, day: string): Promise<SQL[]> {
  const start = startOn(day)
  const first = await findSeqBefore(db, start)
  const mayBeTold = sql`is_backfill = 0 AND at >= ${start} AND at < ${startOn(shiftDay(day, 1))} AND (kind <> 'minor' OR ${mayFire})`
  const size = sql`max(${literal(perStatement)}, (total + ${literal(maxStatements - 1)}) / ${literal(maxStatements)})`
  const ends = await db.all<{ seq: number }>(sql`
    SELECT seq FROM (SELECT seq, row_number() OVER (ORDER BY seq) AS place, count(*) OVER () AS total FROM vuln_changes
      WHERE seq > ${first} AND ${mayBeTold})
    WHERE place % ${size} = 0 OR place = total ORDER BY seq`)
  return ends.map(
    (
      { seq },
      at,
    ) => sql`SELECT seq, vuln_id, kind, at FROM vuln_changes WHERE seq > ${ends[at - 1]?.seq ?? first} AND seq <= ${seq}
      AND ${mayBeTold}`,
  )
}

const anyIn = (statuses: string) =>
  sql.raw(`EXISTS (SELECT 1 FROM deliveries d WHERE d.alert_id = a.id AND d.status IN (${statuses}))`)

/** Whether some channel has fewer messages by the one column than by the other, which count them by channel. */
const hasFewer = (counts: string, other: string) =>
  sql.raw(`EXISTS (SELECT 1 FROM json_each(${other}) t WHERE t.value > coalesce(${counts} ->> t.key, 0))`)

function channelsWithFewer(counts: string, other: string) {
  const [few, many] = [MessageCounts.parse(JSON.parse(counts)), MessageCounts.parse(JSON.parse(other))]
  const names = Object.keys(many).map((name) => RouteName.parse(name))
  return names.filter((name) => (few[name] ?? 0) < (many[name] ?? 0))
}

/** Nothing stands of it, or less than was planned. */
const isMissing = sql`(a.id IS NULL OR a.suppressed IS NULL AND (stands = '{}' OR ${hasFewer('stands', 'planned')}))`

/** Two alerts of one change, more messages than were planned, or two to one receiver of which the second tells nothing more. */
const isDoubled = sql`(${hasFewer('planned', 'stands')}
    OR EXISTS (SELECT 1 FROM alerts c WHERE c.org_id = a.org_id AND c.vuln_id = a.vuln_id AND c.id <> a.id
      AND c.change_seq <= a.last_seq AND c.last_seq >= a.change_seq)
    OR EXISTS (SELECT 1 FROM deliveries d JOIN deliveries e ON e.alert_id = d.alert_id AND e.channel = d.channel AND e.target = d.target
      AND e.id < d.id AND d.told & ~e.told = 0 WHERE d.alert_id = a.id))`

/** The rows of the report pages that the deliveries of `covered` say that they stand on. */
const selectNamed = sql`
  SELECT DISTINCT d.org_id, d.reported_in, r.value ->> 'id' AS vuln_id FROM covered b
    JOIN deliveries d ON d.alert_id = b.id AND d.status = 'reported'
    LEFT JOIN reports f ON d.reported_in ->> 2 = 1 AND f.org_id = d.org_id AND f.kind = d.reported_in ->> 0 AND f.period = d.reported_in ->> 1
    LEFT JOIN report_pages p ON p.org_id = d.org_id AND p.kind = d.reported_in ->> 0 AND p.period = d.reported_in ->> 1
      AND p.page = d.reported_in ->> 2
    CROSS JOIN json_each(coalesce(f.facts, p.body, '{}'), '$.rows') r`

/** A report tells of what it names, whatever was ticked off. */
const standing = sql`(SELECT json_group_object(channel, count) FROM (SELECT d.channel, count(*) AS count FROM deliveries d WHERE d.alert_id = b.id
  AND (d.status <> 'reported' OR (d.org_id, d.reported_in, b.vuln_id) IN (SELECT n.org_id, n.reported_in, n.vuln_id FROM named n))
  GROUP BY d.channel))`

/** Each change with each organization that it concerned, and the alert that covers it. */
const coveringAlerts = (changed: SQL, org_id: number | undefined) => sql`
  SELECT e.org_id, e.vuln_id, e.seq, e.kind, e.at, e.is_sure, e.is_known, b.id, b.suppressed, b.planned, b.change_seq, b.last_seq
  FROM (SELECT org_id, vuln_id, seq, kind, at, max(is_sure) AS is_sure, max(is_known) AS is_known FROM (${concernedThen(sql`(${changed})`, org_id)}) GROUP BY org_id, vuln_id, seq) e
  JOIN orgs o ON o.id = e.org_id AND o.is_active = 1
  LEFT JOIN alerts b ON b.id = (SELECT c.id FROM alerts c WHERE c.org_id = e.org_id AND c.vuln_id = e.vuln_id
    AND c.change_seq <= e.seq AND c.last_seq >= e.seq ORDER BY c.change_seq DESC LIMIT 1)`

/** The rows of `met`, and of `judged` what became of each. */
const judged = (changed: SQL, org_id: number | undefined) => sql`
  WITH covered AS MATERIALIZED (${coveringAlerts(changed, org_id)}), named AS MATERIALIZED (${selectNamed}),
  met AS MATERIALIZED (SELECT b.*, ${standing} AS stands FROM covered b), judged AS MATERIALIZED (
    SELECT a.id, a.org_id, a.vuln_id, a.seq, a.at, a.is_known, a.planned, a.stands, a.id IS NOT NULL AND ${isDoubled} AS is_doubled, CASE
      WHEN a.id IS NULL AND a.seq > ${plannedTo(sql`a.org_id`)} THEN iif(a.kind = 'minor', 'open', 'waiting')
      WHEN a.id IS NULL AND (a.is_sure = 0 OR EXISTS (SELECT 1 FROM audit_log l WHERE l.org_id = a.org_id AND l.action = 'org.enable' AND l.at >= a.at))
        THEN iif(a.kind = 'minor', 'open', 'unsure')
      WHEN a.id IS NULL AND a.kind = 'minor' THEN 'untold'
      WHEN ${isMissing} THEN 'lost' WHEN a.suppressed IS NOT NULL THEN 'suppressed' WHEN ${anyIn(`'dead'`)} THEN 'failed'
      WHEN ${anyIn(`'pending', 'sending', 'parked'`)} THEN 'waiting' WHEN ${anyIn(`'sent'`)} THEN 'delivered'
      WHEN ${anyIn(`'held', 'reported'`)} THEN 'held' ELSE 'suppressed' END AS outcome
    FROM met a)`

const countChunk = (changed: SQL, org_id: number | undefined) => sql`
  ${judged(changed, org_id)} SELECT org_id, sum(outcome NOT IN ('untold', 'open')) AS matched, sum(outcome IN ('untold', 'open')) AS minor, ${sql.join(
    outcomes.map((name) => sql.raw(`sum(outcome = '${name}') AS ${name}`)),
    sql`, `,
  )}, sum(is_doubled) AS doubled FROM judged GROUP BY org_id`

type Budget = Record<'told' | 'untold', number>

/** The same ones each time, and evenly of all. */
const listCovered = (changed: SQL, org_id: number | undefined, { told, untold }: Budget) => sql`
  ${judged(changed, org_id)} SELECT * FROM (
    SELECT j.org_id, j.vuln_id, j.seq, j.outcome, j.is_known, b.id AS alert_id, coalesce(b.change_seq, j.seq) AS change_seq,
      coalesce(b.last_seq, j.seq) AS last_seq, coalesce(b.created_at, j.at) AS created_at, coalesce(b.updated_at, ${dayLater}) AS updated_at,
      coalesce(b.fired, 0) AS fired, b.suppressed, coalesce(b.planned, '{}') AS planned, coalesce(b.saw, '') AS saw, o.trial_ends_at,
      (SELECT json_group_array(DISTINCT d.channel) FROM deliveries d WHERE d.alert_id = b.id AND d.escalated_from = '') AS taken_by,
      row_number() OVER (PARTITION BY j.id IS NULL ORDER BY coalesce(b.id, j.seq) * 7919 % 10007, b.id, j.seq, j.org_id) AS place
    FROM judged j CROSS JOIN orgs o ON o.id = j.org_id LEFT JOIN alerts b ON b.id = j.id
    WHERE j.outcome = 'untold' OR j.id IS NOT NULL AND j.outcome NOT IN ('lost', 'unsure'))
  WHERE place <= min(iif(alert_id IS NULL, ${literal(untold)}, ${literal(told)}), ${literal(perChunk)})`

/** Nothing tells when an alert that told nobody was planned: surely within a day. */
const dayLater = sql`strftime('%Y-%m-%dT%H:%M:%SZ', j.at, '+1 day')`

type Suspect = {
  org_id: number
  vuln_id: number
  seq: number
  planned: string
  stands: string
  is_lost: 0 | 1
  is_doubled: 0 | 1
}

const listDifferent = (changed: SQL, org_id: number | undefined) => sql`
  ${judged(changed, org_id)} SELECT org_id, vuln_id, seq, coalesce(planned, '{}') AS planned, stands, outcome = 'lost' AS is_lost, is_doubled
  FROM judged WHERE outcome = 'lost' OR is_doubled LIMIT 1000`

function describeDifferences({ vuln_id, seq: change, planned, stands, is_lost, is_doubled }: Omit<Suspect, 'org_id'>) {
  const [lost, doubled] = [channelsWithFewer(stands, planned), channelsWithFewer(planned, stands)]
  return [
    ...(is_lost ? [{ vuln_id, change, problem: 'lost' as const, channels: lost }] : []),
    ...(is_doubled ? [{ vuln_id, change, problem: 'doubled' as const, channels: doubled }] : []),
  ]
}
