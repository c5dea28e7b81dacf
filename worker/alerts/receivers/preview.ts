import { desc, eq } from 'drizzle-orm'
import type { Db } from '../../db/open'
import type { ChannelName } from '../../domain/alerts/alert-rules'
import { findTemplateFault } from '../../domain/alerts/json-template'
import { invalid, notFound } from '../../http/errors'
import { openTransport } from '../../mail/transport'
import type { By } from '../../orgs/managed-orgs'
import { alerts } from '../../schema/alerts'
import { describeAlert } from '../channels/facts'
import { channels } from '../channels/registry'
import { findAlertSource } from '../deliver/alert-source'
import { findSampleSource } from '../reports/sample'

type Sample = { kind: ChannelName; template?: string | undefined }

/** Of the newest alert, or of a sample before there is one, with all that a receiver of the kind would be told. */
export async function previewMessage(db: Db, { kind, template = '' }: Sample, { env, actor, now }: By) {
  const fault = kind === 'json' ? findTemplateFault(template) : null
  if (fault) throw invalid([{ path: ['template'], message: fault }])
  const { org_id } = actor
  const newest = await db
    .select({ id: alerts.id, rule: alerts.rule })
    .from(alerts)
    .where(eq(alerts.org_id, org_id))
    .orderBy(desc(alerts.created_at), desc(alerts.id))
    .limit(1)
    .get()
  const source = newest ? await findAlertSource(db, newest.id, now) : await findSampleSource(db, org_id, now)
  if (!source) throw notFound('Alert')
  const alert = describeAlert(source, newest?.rule ?? 'kev', env.APP_URL)
  const line = { env, db, org_id, secrets: {}, template, transport: openTransport(env), now }
  const message = await channels[kind].show([{ delivery_id: 0, first_id: 0, target: 'you@example.com', alert }], line)
  return { alert_id: newest?.id ?? null, vuln: { id: alert.vuln.id, name: alert.name }, ...message }
}
