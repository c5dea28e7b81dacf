import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { stamp, toDay } from '../../db/time'
import { literal } from '../../db/values'
import { findKind, toBits, type AlertRule, type ChannelName, type RouteName } from '../../domain/alerts/alert-rules'
import type { VulnChange } from '../../domain/alerts/change'
import { Failure, notFound, invalid } from '../../http/errors'
import type { By } from '../../orgs/managed-orgs'
import { alerts } from '../../schema/alerts'
import { describeAlert, type AlertSource } from '../channels/facts'
import { tryChannel } from '../channels/try-out'
import { findNewestSource } from '../deliver/alert-source'
import { findSampleSource } from '../reports/sample'
import { findTemplateFault } from '../../domain/alerts/json-template'
import { showAlert } from '../channels/registry'

type Watched = { id: number; kev_added_at: string }
type Sample = { source: AlertSource; rule: AlertRule; is_invented: boolean }

/** The newest alert of the kind; where nothing of it happened, another one is told as if it had. */
async function findSampleAlert(db: Db, org_id: number, rule: AlertRule | undefined, now: Date): Promise<Sample> {
  const isOfKind = rule && sql`${alerts.fired} & ${literal(toBits([rule]))} <> 0`
  const [newest, [watched]] = await Promise.all([
    findNewestSource(db, and(eq(alerts.org_id, org_id), isOfKind), now),
    db.all<Watched>(
      sql`SELECT vuln_id AS id, '' AS kev_added_at FROM org_vulns WHERE org_id = ${org_id} ORDER BY touched DESC LIMIT 1`,
    ),
  ])
  if (newest) return { source: newest.source, rule: rule ?? newest.rule, is_invented: false }
  // The last entry of CISA, where nothing is monitored.
  const sample = await findSampleSource(db, org_id, now, rule && watched)
  const invented = sample && rule ? inventSource(sample, rule, now) : sample
  if (!invented) throw notFound('Alert')
  return { source: invented, rule: rule ?? 'kev', is_invented: true }
}

function inventSource(sample: AlertSource, rule: AlertRule, now: Date): AlertSource {
  const { vuln } = sample
  const day = toDay(now)
  return {
    ...sample,
    is_new: rule === 'new',
    changes: inventedChanges[rule]?.(day) ?? [],
    due: rule === 'due' || rule === 'overdue' ? (vuln.due ?? day) : null,
    cra: rule === 'cra' ? { event: 'started', at: stamp(now) } : null,
    vuln: rule === 'malicious' ? { ...vuln, is_malicious: true } : vuln,
  }
}

const inventedChanges: Partial<Record<AlertRule, (day: string) => VulnChange[]>> = {
  new: () => [{ field: 'created', state: 'published' }],
  kev: (day) => [{ field: 'kev_added_at', from: null, to: day }],
  exploitable: () => [{ field: 'is_exploitable', from: false, to: true }],
  malicious: () => [{ field: 'is_malicious', from: false, to: true }],
  cleared: () => [{ field: 'is_malicious', from: true, to: false }],
}

/** Tools in which a sample would stand as a case to close. */
const caseKinds: readonly ChannelName[] = ['thehive', 'misp', 'pagerduty', 'jira']

export async function trySample(db: Db, route: RouteName, rule: AlertRule, by: By) {
  if (caseKinds.includes(findKind(route)))
    throw new Failure(409, 'conflict', 'A sample would stand there as a case: send a test, or look at the preview')
  const sample = await findSampleAlert(db, by.actor.org_id, rule, by.now)
  const alert = describeAlert(sample.source, sample.rule, by.env.APP_URL)
  const changed = ['This is a sample that somebody asked for: nothing of it happened now', ...alert.changed]
  return tryChannel(db, route, by, { ...alert, headline: `(sample) ${alert.headline}`, changed })
}

type Shown = { kind: ChannelName; template?: string | undefined; rule?: AlertRule | undefined }

/** Of the newest alert of the kind, with all that a receiver of the kind would be told. */
export async function previewMessage(db: Db, { kind, template = '', rule }: Shown, { env, actor, now }: By) {
  const fault = kind === 'json' ? findTemplateFault(template) : null
  if (fault) throw invalid([{ path: ['template'], message: fault }])
  const { org_id } = actor
  const sample = await findSampleAlert(db, org_id, rule, now)
  const alert = describeAlert(sample.source, sample.rule, env.APP_URL)
  const message = await showAlert(kind, alert, { env, db, org_id, template, now })
  const { is_invented } = sample
  const vuln = { id: alert.vuln.id, name: alert.name }
  return { alert_id: is_invented ? null : sample.source.id, vuln, is_invented, ...message }
}
