import { createDueReports } from '../../../worker/alerts/reports/make'
import { planAlerts } from '../../../worker/alerts/plan/plan'
import { updateOrgSettings, type OrgSettingsChange } from '../../../worker/alerts/settings/contract'
import { openDb } from '../../../worker/db/open'
import { stamp } from '../../../worker/db/time'
import { toggleProduct } from '../../../worker/monitoring/contract'
import { anOrg, rows, sqlIn } from './org'
import { aWorld } from './world'

type Change = {
  score?: number
  cvss3?: number
  /** Nobody gave a CVSS vector. */
  isUnrated?: boolean
  kev?: boolean
  isNew?: boolean
  changes?: object[]
}

const vector = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'

/** Acme's widget, organizations that monitor it, and changes as a merge writes them, without any feed. */
export async function aReportScene() {
  const world = aWorld()
  const { env } = world
  await rows(env, "INSERT INTO vendors(id, name, updated_at) VALUES (1, 'acme', '2026-01-01T00:00:00Z')")
  await sqlIn(env)`INSERT INTO products(id, vendor_id, vendor, name, updated_at)
    VALUES (1, 1, 'acme', 'widget', '2026-01-01T00:00:00Z')`

  async function watching() {
    const org = await anOrg({ world, is_org_admin: true })
    await org.call(toggleProduct, { body: { vendor_name: 'acme', product_name: 'widget', monitored: true } })
    return org
  }
  type Org = Awaited<ReturnType<typeof watching>>
  const save = ({ call, org_id }: Org, settings: Partial<OrgSettingsChange>) =>
    call(updateOrgSettings, { body: { org_id, ...settings } })

  /** The vulnerability changes, is planned, and everybody who watches the product has it. */
  async function change(id: number, { score = 50, cvss3 = 5, isUnrated, kev = false, isNew, changes }: Change = {}) {
    const at = stamp(new Date())
    const seconds = Math.floor(Date.parse(at) / 1000)
    await rows(
      env,
      `INSERT INTO vulns(id, cveid, state, summary, score, cvss3, cvss3_vector, kev_added_at, top_products, created_at, updated_at)
       VALUES (?1, ?6, 'published', 'A flaw of the widget.', ?2, ?3, ?7, ?4, '[[1,"acme","widget"]]', ?5, ?5)
       ON CONFLICT DO UPDATE SET score = ?2, cvss3 = ?3, kev_added_at = ?4, updated_at = ?5`,
      id,
      score,
      isUnrated ? null : cvss3,
      kev ? '2026-11-20' : null,
      seconds,
      `CVE-2026-${20_000 + id}`,
      isUnrated ? null : vector,
    )
    await rows(
      env,
      'INSERT INTO vuln_changes(vuln_id, at, kind, source, detail) VALUES (?1, ?2, ?3, ?4, ?5)',
      id,
      at,
      isNew ? 'new' : 'updated',
      'nvd',
      JSON.stringify(
        changes ?? [isNew ? { field: 'created', state: 'published' } : { field: 'cvss3', from: 4, to: cvss3 }],
      ),
    )
    await sqlIn(env)`INSERT INTO vuln_products(vuln_id, product_id, vendor_id, since_seq, touched)
       SELECT ${id}, 1, 1, iif(${Number(isNew ?? false)}, max(seq), 0), ${seconds} FROM vuln_changes WHERE TRUE ON CONFLICT DO NOTHING`
    await sqlIn(
      env,
    )`INSERT INTO org_vulns(org_id, vuln_id, touched) SELECT org_id, ${id}, ${seconds} FROM monitored_products WHERE product_id = 1
       ON CONFLICT DO UPDATE SET touched = excluded.touched`
    await planAlerts(openDb(env), new Date())
  }

  const firstDue = async () => {
    const [due] = await rows<{ due_at: string }>(env, 'SELECT min(due_at) AS due_at FROM report_dues')
    return new Date(due?.due_at ?? '')
  }
  /** Makes the reports that are due at a moment, and sends them now. */
  async function makeAt(at: Date) {
    await createDueReports(env, openDb(env), () => at)
    await rows(env, "UPDATE mails SET next_attempt_at = '2026-01-01T00:00:00Z' WHERE status = 'pending'")
    await world.deliver('earshot-deliveries', { reason: 'due' })
  }
  const sent = () => world.mails.filter(({ subject }) => / report,/.test(subject))
  return { world, env, watching, save, change, firstDue, makeAt, sent }
}
export type ReportScene = Awaited<ReturnType<typeof aReportScene>>
export type ReportOrg = Awaited<ReturnType<ReportScene['watching']>>

/** A report that names its organization. */
export const quietReport = (org_name: string) =>
  JSON.stringify({
    org_name,
    kind: 'daily',
    period: '2026-01-01',
    starts_at: '2025-12-31T08:00:00Z',
    ends_at: '2026-01-01T08:00:00Z',
    time_zone: 'UTC',
    open: { critical: 0, high: 0, medium: 0, low: 0, unscored: 0 },
    new: 0,
    updated: 0,
    fixed: 0,
    kev: 0,
    highest: null,
    held: 0,
    untold: 0,
    parked: 0,
    held_pages: [],
    pages: 1,
    rows: [],
    more: 0,
  })
