import type { Db } from '../../db/open'
import type { AlertRule, ChannelName } from '../../domain/alerts/alert-rules'
import { findTemplateFault } from '../../domain/alerts/json-template'
import { invalid } from '../../http/errors'
import { openTransport } from '../../mail/transport'
import type { By } from '../../orgs/managed-orgs'
import { describeAlert } from '../channels/facts'
import { channels } from '../channels/registry'
import { findSampleAlert } from './sample'

type Shown = { kind: ChannelName; template?: string | undefined; rule?: AlertRule | undefined }

/** Of the newest alert of the kind, with all that a receiver of the kind would be told. */
export async function previewMessage(db: Db, { kind, template = '', rule }: Shown, { env, actor, now }: By) {
  const fault = kind === 'json' ? findTemplateFault(template) : null
  if (fault) throw invalid([{ path: ['template'], message: fault }])
  const { org_id } = actor
  const sample = await findSampleAlert(db, org_id, rule, now)
  const alert = describeAlert(sample.source, sample.rule, env.APP_URL)
  const line = { env, db, org_id, secrets: {}, template, transport: openTransport(env), now }
  const message = await channels[kind].show([{ delivery_id: 0, first_id: 0, target: 'you@example.com', alert }], line)
  const { is_invented } = sample
  const vuln = { id: alert.vuln.id, name: alert.name }
  return { alert_id: is_invented ? null : sample.source.id, vuln, is_invented, ...message }
}
