import { eq } from 'drizzle-orm'
import type { z } from 'zod'
import type { Db } from '../db/open'
import { alertSettings } from '../schema/alerts'
import { Failure, invalid } from '../http/errors'
import { isOverspent } from '../mail/allowance'
import { confirmationStatements, findUnconfirmed } from './alert-addresses'
import { readAddresses } from './addresses'
import { audited } from '../auth/audit'
import { maxAlertEmails } from './contract'
import type { updateOrgSettings } from './contract'
import { getActorName } from './managed'
import type { By } from './managed'

export async function getSettings(db: Db, org_id: number) {
  const [stored] = await db.select().from(alertSettings).where(eq(alertSettings.org_id, org_id))
  const alerts_emails = JSON.parse(stored?.alerts_emails ?? '[]') as string[]
  return {
    org_id,
    alerts_emails,
    alerts_emails_unconfirmed: await findUnconfirmed(db, org_id, alerts_emails),
    alerts_emails_max: maxAlertEmails,
    enable_email_alert_new_vuln: stored?.enable_email_alert_new_vuln ?? true,
    enable_email_alert_update_vuln: stored?.enable_email_alert_update_vuln ?? true,
  }
}

type Change = Omit<z.output<typeof updateOrgSettings.body & object>, 'org_id'>

export async function updateSettings(db: Db, change: Change, by: By) {
  const { org_id, user_id } = by.actor
  const alerts_emails = change.alerts_emails === undefined ? undefined : readAlertEmails(change.alerts_emails)
  const { enable_email_alert_new_vuln, enable_email_alert_update_vuln } = change
  const flag = (value: boolean | undefined) => (value === undefined ? null : Number(value))
  const upsert = db.$client
    .prepare(
      `INSERT INTO alert_settings(org_id, alerts_emails, enable_email_alert_new_vuln, enable_email_alert_update_vuln)
       VALUES (?1, coalesce(?2, '[]'), coalesce(?3, 1), coalesce(?4, 1))
       ON CONFLICT(org_id) DO UPDATE SET alerts_emails = coalesce(?2, alerts_emails),
         enable_email_alert_new_vuln = coalesce(?3, enable_email_alert_new_vuln),
         enable_email_alert_update_vuln = coalesce(?4, enable_email_alert_update_vuln)`,
    )
    .bind(
      org_id,
      alerts_emails ? JSON.stringify(alerts_emails) : null,
      flag(enable_email_alert_new_vuln),
      flag(enable_email_alert_update_vuln),
    )
  const detail = { alerts_emails, enable_email_alert_new_vuln, enable_email_alert_update_vuln }
  const name = await getActorName(db, by.actor)
  const entry = { org_id, actor_id: user_id, actor: name, action: 'settings.update' }
  const unconfirmed = await findUnconfirmed(db, org_id, alerts_emails ?? [])
  const confirmations = await confirmationStatements(db, unconfirmed, { ...by, name })
  try {
    await audited(db, [upsert, ...confirmations], { ...entry, target: 'alerts', detail }, by)
  } catch (error) {
    if (isOverspent(error)) throw new Failure(429, 'quota', 'Too many new addresses today: try again tomorrow')
    throw error
  }
  if (confirmations.length) await by.env.DELIVERIES.send({ reason: 'due' })
  return getSettings(db, org_id)
}

function readAlertEmails(input: string | string[]) {
  const { valid, wrong } = readAddresses(input)
  const refuse = (message: string) => invalid([{ path: ['alerts_emails'], message }])
  if (wrong.length) throw refuse(`E-mail must be valid: ${wrong.join(', ')}`)
  if (valid.length > maxAlertEmails) throw refuse(`At most ${maxAlertEmails} addresses`)
  return valid
}
