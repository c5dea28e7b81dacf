import { eq, sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import type { By } from '../../orgs/managed-orgs'
import { notFound } from '../../http/errors'
import { orgs } from '../../schema/orgs'
import { isInKev, isProvisional, shared } from '../../schema/vulns'
import { getVulnDetail } from '../../vulns/detail/detail'
import { describeAlert, type AlertSource } from '../channels/facts'
import { showAlert } from '../channels/registry'
import { describeReport } from './describe'
import type { ChangedRow, Period } from './periods'

/** So many of what CISA added last stand in the sample. */
const sampleRows = 5
const weekSeconds = 7 * 86_400

/** A report and a mail as if the organization ran the products that CISA listed last; for one that has none of its own yet. */
export async function makeSample(db: Db, { env, actor: { org_id }, now }: By) {
  const found = await findNewestInKev(db)
  const source = await findSampleSource(db, org_id, now, found[0])
  if (!source) throw notFound('Sample')
  const alert = describeAlert(source, 'kev', env.APP_URL)
  const { subject, text } = await showAlert('email', alert, { env, db, org_id, template: '', now })
  return { report: describeSample(found, source, now), alert: { subject: subject ?? '', text } }
}

/** As though the newest entry of KEV had just become known; null before there is one. */
export async function findSampleSource(
  db: Db,
  org_id: number,
  now: Date,
  newest?: SampleVuln,
): Promise<AlertSource | null> {
  const sample = newest ?? (await findNewestInKev(db))[0]
  if (!sample) return null
  const named = db.select({ name: orgs.name }).from(orgs).where(eq(orgs.id, org_id))
  const [[org], vuln] = await Promise.all([named, getVulnDetail(db, org_id, sample.id, now)])
  if (!org) return null
  const changes = [{ field: 'kev_added_at' as const, from: null, to: sample.kev_added_at }]
  const place = { id: 0, org_id, org_name: org.name }
  return { ...place, is_new: false, due: null, cra: null, was_snoozed: false, at: stamp(now), changes, vuln }
}

type SampleVuln = Pick<Found, 'id' | 'kev_added_at'>
type Found = ChangedRow & { kev_added_at: string }

const findNewestInKev = (db: Db) =>
  db.all<Found>(sql`
    SELECT v.id, v.cveid, substr(v.summary, 1, 400) AS summary, v.score, ${isProvisional} AS is_provisional, v.cvss, v.cvss3, v.cvss4, v.is_malicious, v.epss,
      v.kev_added_at, v.is_exploitable, v.exploit_count, v.top_products, NULL AS verdict, 0 AS is_new, 0 AS is_held, 0 AS span,
      json_array(json_array(json_object('field', 'kev_added_at', 'from', NULL, 'to', v.kev_added_at))) AS details,
      count(*) OVER () AS total, 0 AS total_new, count(*) OVER () AS total_kev, 0 AS total_held, 0 AS total_parked, 0 AS total_untold,
      max(v.score) OVER () AS highest, max(iif(${isProvisional}, NULL, v.score)) OVER () AS highest_rated, count(*) OVER () AS listed
    FROM (SELECT * FROM vulns WHERE is_in_the_wild = 1 AND ${shared} AND ${isInKev} = 1
      ORDER BY kev_added_at DESC, id DESC LIMIT ${sampleRows}) v`)

function describeSample(found: Found[], { org_id, org_name }: AlertSource, now: Date) {
  const ends_at = stamp(now)
  const starts_at = stamp(plusSeconds(now, -weekSeconds))
  const due = { kind: 'weekly' as const, org_name, time_zone: 'UTC' }
  const open = found.map((row) => ({ ...row, count: 1, overdue: 0, soon: 0 }))
  const items: Period['items'] = new Map(
    found.map((row) => [
      row.id,
      (JSON.parse(row.top_products) as [number, string, string][])
        .slice(0, 1)
        .map(([id, vendor, name]) => ({ org_id, vuln_id: row.id, via: 'product' as const, id, name, vendor })),
    ]),
  )
  const today = ends_at.slice(0, 10)
  const span = { org_id, first_seq: 0, last_seq: 0, starts_at, ends_at, today, held: [] }
  return describeReport(due, today, span, { changed: found, items, open, fixed: 0 }).facts
}
