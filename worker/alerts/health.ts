import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import type { ChannelName } from '../domain/alert-rules'
import type { Env } from '../env'
import { notice } from '../mail/notice'
import { queueMail } from '../mail/outbox'
import { channelLabels } from './channels/labels'

/** A receiver that took nothing for so long is not asked any more. */
const giveUpHours = 75
/** A success is noted at most so often. */
const noteSeconds = 600

export const noteSuccess = (db: Db, org_id: number, channel: ChannelName, now: Date) =>
  db.$client
    .prepare(
      `INSERT INTO alert_channels(org_id, channel, last_success_at) SELECT id, ?2, ?3 FROM orgs WHERE id = ?1
       ON CONFLICT DO UPDATE SET last_success_at = excluded.last_success_at, failing_since = NULL, last_error = NULL
       WHERE failing_since IS NOT NULL OR last_success_at IS NULL OR last_success_at < ?4`,
    )
    .bind(org_id, channel, stamp(now), stamp(plusSeconds(now, -noteSeconds)))
    .run()

type Failing = { org_id: number; channel: ChannelName; message: string; isGone: boolean }

/** A receiver that is gone, or failed for too long, is switched off and its admins are told. */
export async function noteFailure(env: Env, db: Db, { org_id, channel, message, isGone }: Failing, now: Date) {
  const row = await db.$client
    .prepare(
      `INSERT INTO alert_channels(org_id, channel, failing_since, last_error) SELECT id, ?2, ?3, ?4 FROM orgs WHERE id = ?1
       ON CONFLICT DO UPDATE SET failing_since = coalesce(failing_since, excluded.failing_since), last_error = excluded.last_error
       RETURNING failing_since, disabled_at`,
    )
    .bind(org_id, channel, stamp(now), message.slice(0, 500))
    .first<{ failing_since: string; disabled_at: string | null }>()
  const isLong = row !== null && row.failing_since <= stamp(plusSeconds(now, -giveUpHours * 3_600))
  if (channel !== 'email' && row?.disabled_at === null && (isGone || isLong))
    await switchOff(env, db, { org_id, channel, message, isGone }, now)
}

/** What waits for it is left for the next report. */
async function switchOff(env: Env, db: Db, { org_id, channel, message, isGone }: Failing, now: Date) {
  const { results: admins } = await db.$client
    .prepare(
      `SELECT u.email, o.name AS org_name FROM members m JOIN users u ON u.id = m.user_id JOIN orgs o ON o.id = m.org_id
       WHERE m.org_id = ?1 AND m.is_admin = 1 AND m.is_active = 1 AND u.is_active = 1 AND u.email_verified_at IS NOT NULL LIMIT 50`,
    )
    .bind(org_id)
    .all<{ email: string; org_name: string }>()
  const mails = await Promise.all(
    admins.map(({ email, org_name }) => channelOffNotice(env, { to: email, org_name, channel, message, isGone })),
  )
  await db.$client.batch([
    db.$client
      .prepare('UPDATE alert_channels SET disabled_at = ?3 WHERE org_id = ?1 AND channel = ?2 AND disabled_at IS NULL')
      .bind(org_id, channel, stamp(now)),
    ...mails.map((mail) => queueMail(db, mail, now)),
  ])
}

type SwitchedOff = Omit<Failing, 'org_id'> & { to: string; org_name: string }

export const channelOffNotice = (env: Env, { to, org_name, channel, message, isGone }: SwitchedOff) =>
  notice({
    to,
    kind: 'channel_off',
    title: `${org_name}: alerts by ${channelLabels[channel]} are switched off`,
    paragraphs: [
      `The receiver ${isGone ? 'answered that it is gone' : `took nothing for ${giveUpHours} hours`}, so nothing more is sent there. What waited for it stands in the next report.`,
      `Its last answer: ${message.slice(0, 300)}`,
      'Mend the receiver or enter another address, then send a test: alerts go there again after that.',
    ],
    action: { label: 'Alert settings', url: `${env.APP_URL}/settings?tab=alerting` },
    footer: `This was sent to ${to} because you administer ${org_name} on Earshot.`,
  })
