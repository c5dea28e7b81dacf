import { onTestFinished, vi } from 'vitest'
import { updateChannel, type ChannelChange } from '../../../worker/alerts/channels/contract'
import { toggleProduct } from '../../../worker/monitoring/contract'
import { aCve, aMetric } from '../../support/records'
import { aBox } from './box'
import { firstLoad } from './load-once'
import { anOrg, rows } from './org'
import { fakeOrigins, originSettings } from './origins'
import { aWorld, type World } from './world'

const watch = { vendor_name: 'acme', product_name: 'widget', monitored: true }
export const worse = {
  metrics: { cvssMetricV31: [aMetric('3.1', 10, 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H')] },
}
export const cvss3 = (score: number) => ({
  metrics: { cvssMetricV31: [aMetric('3.1', score, 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H')] },
})

/** Until the test is over, so that a test of one day does not begin shortly before midnight. */
export function beginAtNoon() {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date().setUTCHours(12, 0, 0, 0), shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
}

/** Feeds that a test changes, receivers of its own, and organizations that monitor acme's widget (CVE-2024-10001). */
export async function aScene(settings: Parameters<typeof aWorld>[0] = {}) {
  const origins = fakeOrigins()
  const box = aBox()
  origins.through = box.host
  const world = aWorld({ ...originSettings, LOCAL_CHANNELS: '1', ...settings })
  let now = new Date()
  origins.files.set(2024, [aCve('CVE-2024-10001')])

  /** Some minutes pass, the clock ticks, and all that follows from it happens. */
  async function later(minutes: number) {
    now = new Date(now.getTime() + minutes * 60_000)
    await world.tick(now)
    await world.drain()
  }
  /** The feed tells of these, and a quarter of an hour passes. */
  async function modify(...cves: [id: string, more?: Record<string, unknown>][]) {
    origins.modified = cves.map(([id, more]) =>
      aCve(id, { lastModified: new Date().toISOString().slice(0, 19), ...more }),
    )
    await later(15)
  }
  /** An organization that monitors the product, without an address for mails. */
  async function watching(given: { emails?: string[] } = { emails: [] }) {
    const org = await anOrg({ world, is_org_admin: true, ...given })
    await org.call(toggleProduct, { body: watch })
    return org
  }
  await firstLoad(world, origins, { now })
  return { origins, box, world, later, modify, watching, now: () => now }
}
export type AlertingScene = Awaited<ReturnType<typeof aScene>>
export type WatchingOrg = Awaited<ReturnType<AlertingScene['watching']>>

export const configure = ({ call }: WatchingOrg, channel: string, body: Partial<ChannelChange>) =>
  call(updateChannel, { params: { channel: channel as 'slack' }, body })

export const findDeliveries = (world: World) =>
  world.sql<{
    id: number
    org_id: number
    channel: string
    status: string
    attempts: number
    next_attempt_at: string
    last_error: string | null
    answer: string | null
    rule: string
    sent_at: string | null
  }>`SELECT *
    FROM deliveries ORDER BY id`

/** Makes all waiting deliveries due. */
export const makeDue = (world: World) =>
  world.sql`UPDATE deliveries SET next_attempt_at = '2026-01-01T00:00:00Z' WHERE status = 'pending'`

const addresses: Record<string, { url: (box: string) => string; apikey?: string }> = {
  slack: { url: (box) => `${box}/slack` },
  teams: { url: (box) => `${box}/teams` },
  thehive: { url: (box) => `${box}/hive`, apikey: 'hive-key-0123456789' },
  misp: { url: (box) => `${box}/misp/`, apikey: 'misp-key-0123456789' },
  webhook: { url: (box) => `${box}/hook` },
}
/** Leads a channel of the organization to the receivers of the scene. */
export function point(scene: AlertingScene, org: WatchingOrg, channel: string, more: Partial<ChannelChange> = {}) {
  const { url, ...rest } = addresses[channel] ?? { url: () => '' }
  return configure(org, channel, { url: url(scene.box.url), ...rest, ...more })
}

/** A record that tries what its text may do in a message. */
export const hostile = {
  descriptions: [
    { lang: 'en', value: `<https://evil.example|click> *bold* [x](javascript:1) & ${'long '.repeat(1_500)}` },
  ],
}

/** Makes all alerts old, so that later changes start new ones. */
export const ageAlerts = (world: World) => world.sql`UPDATE alerts SET created_at = '2026-01-01T00:00:00Z'`

type Column =
  | 'score'
  | 'cvss'
  | 'cvss3'
  | 'is_exploitable'
  | 'is_malicious'
  | 'kev_added_at'
  | 'epss'
  | 'epss_percentile'

/** A merge changed a vulnerability: its row, and its entry in the log. */
export async function logChange(
  world: World,
  vuln_id: number,
  columns: Partial<Record<Column, number | string | null>>,
  { kind = 'updated', changes }: { kind?: string; changes: object[] },
) {
  for (const [name, value] of Object.entries(columns))
    await rows(world.env, `UPDATE vulns SET ${name} = ?2 WHERE id = ?1`, vuln_id, value)
  await world.sql`INSERT INTO vuln_changes(vuln_id, at, kind, source, detail)
    VALUES (${vuln_id}, '2026-11-20T00:00:00Z', ${kind}, 'nvd', ${JSON.stringify(changes)})`
}

export const logExploited = (world: World, vuln_id: number) =>
  logChange(
    world,
    vuln_id,
    { kev_added_at: '2026-11-20' },
    { changes: [{ field: 'kev_added_at', from: null, to: '2026-11-20' }] },
  )
