import { sql } from 'drizzle-orm'
import { readyAuditBy, type By } from '../auth/audited-by'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { plusSeconds, stamp } from '../db/time'
import { approverMails, findDecisionSettings } from './requests'
import { describeVulns, toPerson } from './describe'
import { sealUndo } from './undo-token'
import { decidedJson, parseBody, toChanged, writeDecisions } from './write'
import { hasMember } from './work'
import { policies } from '../domain/people/access'
import { findNewModels, listEpssModels, toSeen } from '../domain/scores/epss-models'
import { Failure, invalid, needsManager, notFound } from '../http/errors'
import { isAsleep } from '../schema/decisions'
import { seenEpssModels } from '../schema/feeds'
import { isVisible, requireVuln } from '../watchlist/visible'
import type { Snooze, SnoozeChange } from './decide-contract'

type Asked = 'alerts' | 'request'
type Quiet = {
  asked: Asked
  kind: Snooze['kind']
  body: string
  seen: string | null
  owner: string | null
  username: string | null
}

const selectQuiet = (org_id: number, vuln_id: number) => sql`
  SELECT d.scope AS asked, d.verdict AS kind, ${sql.raw(decidedJson('d'))} AS body, ${seenEpssModels} AS seen, o.username AS owner, u.username
  FROM decisions d LEFT JOIN users o ON o.id = d.owner_id LEFT JOIN users u ON u.id = d.user_id
  WHERE d.vuln_id = ${vuln_id} AND d.org_id = ${org_id} AND d.scope IN ('alerts', 'request')`

/** A snooze that ended by its day has ended, whether or not a job noted it. */
function toSnooze({ kind, body, seen, owner, username }: Quiet, now: Date): Snooze {
  const { last_day = null, epss_above = null, epss_percentile_above = null, ...said } = parseBody(body)
  const until = last_day === null ? null : moveDay(last_day, 1)
  const isOver = !said.ended_at && until !== null && until <= stamp(now).slice(0, 10)
  const models = epss_above === null ? [] : listEpssModels(toSeen(seen))
  return {
    kind,
    until,
    on_fix: Boolean(said.on_fix),
    on_kev: Boolean(said.on_kev),
    on_exploit: Boolean(said.on_exploit),
    epss_above,
    epss_percentile_above,
    new_epss_model: findNewModels(models, said.decided_at.slice(0, 10)).at(-1) ?? null,
    reason: said.note ?? '',
    owner: toPerson(said.owner_id, owner),
    by: toPerson(said.user_id, username),
    created_at: said.decided_at,
    woken_by: isOver ? 'date' : (said.ended_by ?? null),
    woken_at: isOver ? `${until}T00:00:00Z` : (said.ended_at ?? null),
  }
}

/** A snooze ends on a day; a decision counts to the end of its last one. */
export const moveDay = (day: string, days: number) => stamp(plusSeconds(new Date(day), days * 86_400)).slice(0, 10)

export async function findVisibleSnooze(db: Db, org_id: number, vuln_id: number, now: Date) {
  const [found] = await Promise.all([findBoth(db, org_id, vuln_id, now), requireVuln(db, org_id, vuln_id)])
  return found
}

/** A risk that waits for an approver is not accepted yet. */
function toBoth(rows: Quiet[], now: Date) {
  const find = (asked: Asked) => rows.filter((row) => row.asked === asked).map((row) => toSnooze(row, now))[0] ?? null
  return { snooze: find('alerts'), request: find('request') }
}

const findBoth = async (db: Db, org_id: number, vuln_id: number, now: Date) =>
  toBoth(await db.all<Quiet>(selectQuiet(org_id, vuln_id)), now)

export const findSnooze = async (db: Db, org_id: number, vuln_id: number, now: Date) =>
  (await findBoth(db, org_id, vuln_id, now)).snooze

export async function saveSnooze(db: Db, vuln_id: number, change: SnoozeChange, by: By) {
  const after = statement(db, selectQuiet(by.actor.org_id, vuln_id))
  const { entries, answers } = await saveSnoozes(db, { ids: [vuln_id], after: [after] }, change, by)
  const both = toBoth((answers.at(-1) as D1Result<Quiet>).results, by.now)
  return { ...both, undo: await sealUndo(by.env, entries) }
}

/** Passes over vulnerabilities that may not be told and snoozes that would end at once; refuses when nothing is left. The read `after` answers last. */
export async function saveSnoozes(
  db: Db,
  { ids, after = [] }: { ids: number[]; after?: D1PreparedStatement[] },
  change: SnoozeChange,
  by: By,
) {
  const { org_id, user_id } = by.actor
  const { kind, until = null, reason, on_fix, on_kev, on_exploit } = change
  const { epss_above = null, epss_percentile_above = null } = change
  if (kind === 'accepted' && !policies.manageMetadata(by.actor))
    throw needsManager('Accept the risk of a vulnerability')
  if (until !== null && until <= stamp(by.now).slice(0, 10))
    throw invalid([{ path: ['until'], message: 'The day is in the past' }])
  const owner_id = kind === 'accepted' ? (change.owner_id ?? user_id) : null
  const [found, write, settings, isMember] = await Promise.all([
    findQuietable(db, org_id, ids, by.now),
    readyAuditBy(db, by),
    kind === 'accepted' ? findDecisionSettings(db, org_id) : undefined,
    owner_id === null || hasMember(db, org_id, owner_id),
  ])
  const judged = found.map((vuln) => ({ vuln, refusal: refuseQuiet(vuln, change, by) }))
  const free = judged.filter(({ refusal }) => !refusal).map(({ vuln }) => vuln)
  if (!free.length) throw judged[0]?.refusal ?? notFound('Vulnerability')

  if (!isMember) throw invalid([{ path: ['owner_id'], message: 'The owner is a member of the organization' }])
  const ends = { on_fix, on_kev, on_exploit, epss_above, epss_percentile_above }
  const last_day = until && moveDay(until, -1)
  const decision = { verdict: kind, last_day, ...ends, note: reason, owner_id, user_id, decided_at: stamp(by.now) }
  const is_requested = settings?.needs_approver === true
  const changes = free.map(({ id }) => ({ vuln_id: id, decision }))
  const told = describeVulns(free, { kind, until, ...ends, reason, owner_id })
  const mails = is_requested ? await approverMails(db, told.target, by) : []
  const scope = is_requested ? 'request' : 'alerts'
  const answers = await write(
    [...writeDecisions(db, scope, changes, { org_id, user_id, now: by.now }), ...mails, ...after],
    { action: is_requested ? 'risk.request' : `vuln.${kind}`, ...told },
  )
  if (mails.length) await by.env.DELIVERIES.send({ reason: 'due' })
  return { ...toChanged(answers), is_requested, answers }
}

type Quietable = {
  id: number
  cveid: string | null
  epss: number | null
  epss_percentile: number | null
  is_exploitable: number
  is_kev: number
  is_accepted: number
}

export const findQuietable = (db: Db, org_id: number, ids: number[], now: Date) =>
  db.all<Quietable>(sql`
    SELECT vulns.id, vulns.cveid, vulns.epss, vulns.epss_percentile, vulns.is_exploitable, vulns.kev_added_at IS NOT NULL AS is_kev, EXISTS (SELECT 1 FROM decisions z WHERE z.vuln_id = vulns.id AND z.org_id = ${org_id}
      AND z.verdict = 'accepted' AND ${isAsleep(stamp(now))}) AS is_accepted
    FROM vulns WHERE vulns.id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) AND ${isVisible(org_id)}`)

/** A snooze is anybody's; that a risk is accepted is said, changed and ended by whoever may decide for all. */
export function refuseQuiet(vuln: Quietable, change: SnoozeChange, { actor }: By) {
  const { epss_above, epss_percentile_above } = change
  const { epss, epss_percentile, is_accepted } = vuln
  if (is_accepted && !policies.manageMetadata(actor)) return needsManager('Change or end an accepted risk')
  if (is_accepted && change.kind === 'snoozed')
    return new Failure(409, 'accepted', 'The risk is accepted: end that first')
  if (!mayEnd(vuln, change))
    return invalid([{ path: ['until'], message: 'That has happened already, and would never end it: choose a day' }])
  if (isAbove(epss, epss_above)) return invalid([{ path: ['epss_above'], message: `EPSS is ${epss} already` }])
  if (!isAbove(epss_percentile, epss_percentile_above)) return undefined
  const message = `The percentile of EPSS is ${epss_percentile} already`
  return invalid([{ path: ['epss_percentile_above'], message }])
}

/** A first exploit, and the listing by CISA, come once. */
const mayEnd = ({ is_exploitable, is_kev }: Quietable, { on_exploit, on_kev, ...others }: SnoozeChange) =>
  (on_exploit && !is_exploitable) ||
  (on_kev && !is_kev) ||
  others.on_fix ||
  [others.until, others.epss_above, others.epss_percentile_above].some((end) => end !== undefined)

const isAbove = (value: number | null, limit: number | undefined) =>
  value !== null && limit !== undefined && value > limit

export async function wakeByHand(db: Db, vuln_id: number, by: By) {
  const { org_id } = by.actor
  const [{ cveid }, rows, write] = await Promise.all([
    requireVuln(db, org_id, vuln_id),
    db.all<Quiet>(selectQuiet(org_id, vuln_id)),
    readyAuditBy(db, by),
  ])
  const row = rows.find(({ asked }) => asked === 'alerts')
  if (!row || toSnooze(row, by.now).woken_by) throw notFound('Snooze')
  if (row.kind === 'accepted' && !policies.manageMetadata(by.actor))
    throw needsManager('Change or end an accepted risk')
  const decision = {
    ...parseBody(row.body),
    ended_at: stamp(by.now),
    ended_by: 'hand' as const,
    ended_user_id: by.actor.user_id,
  }
  const answers = await write(
    writeDecisions(db, 'alerts', [{ vuln_id, decision }], { org_id, user_id: by.actor.user_id, now: by.now }),
    { action: 'vuln.woken', target: cveid ?? `PH-${vuln_id}`, detail: {} },
  )
  return { status: 'success' as const, undo: await sealUndo(by.env, toChanged(answers).entries) }
}
