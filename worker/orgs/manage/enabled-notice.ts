import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { stamp } from '../../db/time'
import { utcMinute } from '../../domain/alerts/alert-times'
import type { Env } from '../../env'
import { findAdmins } from '../../mail/find-admins'
import { adminNotice } from '../../mail/notice'
import { queueWithin } from '../../mail/within'

/** For the batch that enables an organization again: nothing is planned for a disabled one, and only what turned urgent is told later. */
export async function untoldStatements(env: Env, db: Db, org_id: number, now: Date) {
  const [disabled, admins] = await Promise.all([
    db.get<{ at: string | null }>(
      sql`SELECT max(at) AS at FROM audit_log WHERE org_id = ${org_id} AND action = 'org.disable'`,
    ),
    findAdmins(db, org_id),
  ])
  if (!disabled?.at) return []
  const span = { from: disabled.at, until: stamp(now) }
  const mails = await Promise.all(admins.map((admin) => enabledNotice(env, { ...admin, ...span })))
  return queueWithin(db, { org_id, key: `enabled ${org_id}` }, mails, now)
}

type Enabled = { to: string; org_name: string; from: string; until: string }

export const enabledNotice = (env: Env, { to, org_name, from, until }: Enabled) =>
  adminNotice({
    to,
    org_name,
    kind: 'org_enabled',
    title: `${org_name}: no alerts were told while it was disabled`,
    paragraphs: [
      `${org_name} was disabled from ${utcMinute(from)} to ${utcMinute(until)}. What turned urgent in that time, and still is, is told now. Other changes of it were told to nobody, and stand in neither the ledger of alerts nor the bell.`,
      'The list of vulnerabilities shows them: look there for what is exploited or has an exploit by now.',
    ],
    action: { label: 'Changed since', url: `${env.APP_URL}/vulns?${new URLSearchParams({ q: changedSince(from) })}` },
  })

const changedSince = (at: string) => `monitored updated>=${at.slice(0, 10)}`
