import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { fireChanges, judgeChannel } from '../domain/alert-judge'
import type { Fired, JudgedVuln, Reason } from '../domain/alert-judge'
import type { VulnChange } from '../domain/change'
import { wakingWords } from '../domain/snooze'
import { knownId } from '../domain/cve'
import { requireVuln } from '../watchlist/visible'
import { listStoredChannels } from './channels/manage'
import { channelLabels } from './channels/labels'
import { changedLines } from './changed-lines'
import type { ChannelRow } from './channels-contract'
import type { AlertWhy } from './contract'
import { firedBits } from './fired'
import { readJudged } from './judged'
import { mayReceive } from './recipients'
import { findSnooze } from './snooze'

type Scene = { db: Db; org_id: number; vuln_id: number; now: Date }

/** Asks the rules in the order of planning and names the first that says no. */
export async function explainAlert(db: Db, org_id: number, vuln_id: number, now: Date): Promise<AlertWhy> {
  const { id, cveid } = await requireVuln(db, org_id, vuln_id)
  const scene = { db, org_id, vuln_id, now }
  const [vuln] = await readJudged(db, org_id, [vuln_id])
  const change = await findNewestChange(scene)
  const reasons = [
    ...(await judgeOrg(scene)),
    vuln
      ? { is_ok: true, text: 'You monitor it' }
      : { is_ok: false, text: 'You monitor nothing that it is known to affect' },
    judgeChange(change),
    ...(await judgeWork(scene)),
  ]
  const fired = change && vuln && fireChanges(change.log, change.is_new, vuln)
  const channels = await judgeChannels(scene, fired, vuln)
  const refused = reasons.find(({ is_ok }) => !is_ok) ?? refuseAll(channels)
  return {
    vuln: { id, cveid: knownId(cveid) },
    is_told: refused === undefined,
    first_no: refused?.text ?? null,
    change: change && { at: change.at, lines: change.lines },
    reasons,
    channels,
  }
}

/** Nothing when some channel takes it; else the first that said no, of those that are set up if there is one. */
function refuseAll(channels: AlertWhy['channels']) {
  if (channels.some(({ rule }) => rule !== null)) return
  const refusals = channels.flatMap(({ channel, reasons }) =>
    reasons.filter(({ is_ok }) => !is_ok).map(({ text }) => ({ channel, text, isOpen: reasons[0]?.is_ok })),
  )
  const first = refusals.find(({ isOpen }) => isOpen) ?? refusals[0]
  return first && { text: first.isOpen ? `${capitalize(channelLabels[first.channel])}: ${first.text}` : first.text }
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

async function judgeOrg({ db, org_id, now }: Scene): Promise<Reason[]> {
  const org = await db.$client
    .prepare('SELECT is_active, trial_ends_at FROM orgs WHERE id = ?1')
    .bind(org_id)
    .first<{ is_active: number; trial_ends_at: string | null }>()
  if (!org?.is_active) return [{ is_ok: false, text: 'The organization is disabled' }]
  const isOver = org.trial_ends_at !== null && org.trial_ends_at <= stamp(now)
  return isOver ? [{ is_ok: false, text: 'The trial is over: alerts are paused' }] : []
}

type Newest = { at: string; is_new: boolean; lines: string[]; log: { kind: string; changes: VulnChange[] }[] }

/** The newest run of changes that planning saw as one, or the newest change alone when it planned none of it. */
async function findNewestChange({ db, org_id, vuln_id }: Scene): Promise<Newest | null> {
  const [newest, planned] = await db.$client.batch<{ seq: number; first: number; is_new: number }>([
    db.$client
      .prepare('SELECT seq FROM vuln_changes WHERE vuln_id = ?1 AND is_backfill = 0 ORDER BY seq DESC LIMIT 1')
      .bind(vuln_id),
    db.$client
      .prepare(
        `SELECT last_seq AS seq, change_seq AS first, fired & ${firedBits.new} AS is_new FROM alerts WHERE org_id = ?1 AND vuln_id = ?2
         ORDER BY change_seq DESC LIMIT 1`,
      )
      .bind(org_id, vuln_id),
  ])
  const last = newest?.results[0]?.seq
  if (last === undefined) return null
  const alert = planned?.results.find(({ seq }) => seq >= last)
  const { results } = await db.$client
    .prepare(
      'SELECT at, kind, detail FROM vuln_changes WHERE vuln_id = ?1 AND seq BETWEEN ?2 AND ?3 AND is_backfill = 0 ORDER BY seq DESC LIMIT 100',
    )
    .bind(vuln_id, alert?.first ?? last, last)
    .all<{ at: string; kind: string; detail: string }>()
  const log = results.map(({ kind, detail }) => ({ kind, changes: JSON.parse(detail) as VulnChange[] }))
  return {
    at: results[0]?.at ?? '',
    is_new: alert ? alert.is_new > 0 : log.some(({ kind }) => kind === 'new'),
    lines: changedLines(log.flatMap(({ changes }) => changes)),
    log,
  }
}

const judgeChange = (change: Newest | null): Reason =>
  change
    ? { is_ok: true, text: `Its newest change: ${change.lines.slice(0, 3).join('; ')}` }
    : { is_ok: false, text: 'It has not changed since it was first loaded, and a first load is not alerted' }

async function judgeWork({ db, org_id, vuln_id, now }: Scene): Promise<Reason[]> {
  const status = await db.$client
    .prepare(
      `SELECT status FROM vuln_statuses WHERE org_id = ?1 AND vuln_id = ?2 AND status IN ('fixed', 'not_interesting')
         AND (expires_at IS NULL OR expires_at >= ?3)`,
    )
    .bind(org_id, vuln_id, stamp(now).slice(0, 10))
    .first<{ status: string }>()
  const snooze = await findSnooze(db, org_id, vuln_id, now)
  return [
    ...(status ? [{ is_ok: false, text: `Its status is ${status.status.replace('_', ' ')}` }] : []),
    ...(snooze ? [describeSnooze(snooze)] : []),
  ]
}

function describeSnooze({ kind, until, woken_by }: NonNullable<Awaited<ReturnType<typeof findSnooze>>>): Reason {
  const [state, before] =
    kind === 'accepted'
      ? ['Its risk is accepted', 'Its risk is no longer accepted']
      : ['It is snoozed', 'It is no longer snoozed']
  if (woken_by) return { is_ok: true, text: `${before}: ${wakingWords[woken_by]}` }
  return { is_ok: false, text: `${state}${until ? ` until ${until}` : ''}` }
}

async function judgeChannels(scene: Scene, fired: Fired | null | undefined, vuln: JudgedVuln | undefined) {
  const { db, org_id } = scene
  const [channels, isConfirmed] = await Promise.all([listStoredChannels(db, org_id), hasConfirmed(scene)])
  return channels.map((row) => {
    const before = judgeReceiver(row, isConfirmed)
    if (!fired || !vuln || !before.is_ok) return { channel: row.channel, rule: null, reasons: [before] }
    const { rule, reasons } = judgeChannel(row, fired, vuln)
    return { channel: row.channel, rule, reasons: [before, ...reasons] }
  })
}

function judgeReceiver({ channel, is_configured, disabled_at }: ChannelRow, isConfirmed: boolean): Reason {
  const name = channelLabels[channel]
  if (!is_configured) return { is_ok: false, text: `${capitalize(name)} is not set up` }
  if (disabled_at) return { is_ok: false, text: `${capitalize(name)} is switched off, as its receiver failed` }
  if (channel === 'email' && !isConfirmed) return { is_ok: false, text: 'No contact e-mail is confirmed yet' }
  return { is_ok: true, text: `${capitalize(name)} is set up` }
}

async function hasConfirmed({ db, org_id }: Scene) {
  const [row] = await db.all<{ is: number }>(
    sql`SELECT EXISTS (SELECT 1 FROM alert_settings s, json_each(s.alerts_emails) e WHERE s.org_id = ${org_id} AND ${mayReceive}) AS "is"`,
  )
  return row?.is === 1
}
