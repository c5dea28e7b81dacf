import { mutationOptions, type QueryClient } from '@tanstack/react-query'
import { vulnStats } from '../../worker/home/contract'
import { monitorBulletins } from '../../worker/kb/bulletins/contract'
import { listGroups, togglePackage, toggleProduct, toggleVendor } from '../../worker/monitoring/contract'
import { toggleVulns } from '../../worker/vulns/contract'
import { askFor } from '../lib/ask'
import { call } from '../lib/call'
import { currentOrgId } from '../session/session'

export const groupsQuery = askFor(['monitored', 'groups'], listGroups, {})
export const statsQuery = askFor(['vulns', 'stats'], vulnStats, {}, 'Unable to get stats')

export type MonitoredKind = 'vendor' | 'product' | 'package' | 'bulletin' | 'cve' | 'vuln'
type Choice = { monitored: boolean; organization_id: number | undefined }
const each = (ids: number[], send: (id: number) => Promise<unknown>) => Promise.all(ids.map(send))

const senders: Record<MonitoredKind, (ids: number[], choice: Choice) => Promise<unknown>> = {
  vendor: (ids, choice) => each(ids, (vendor_id) => call(toggleVendor, { body: { vendor_id, ...choice } })),
  product: (ids, choice) => each(ids, (product_id) => call(toggleProduct, { body: { product_id, ...choice } })),
  package: (ids, choice) => each(ids, (package_id) => call(togglePackage, { body: { package_id, ...choice } })),
  bulletin: (ids, { monitored }) => call(monitorBulletins, { body: { ids, monitored } }),
  cve: (ids, choice) => call(toggleVulns, { body: { ids, ...choice } }),
  vuln: (ids, choice) => call(toggleVulns, { body: { ids, ...choice } }),
}

/** The query keys whose lists a toggle changes. */
const affected: Record<MonitoredKind, string[]> = {
  vendor: ['vendors', 'products', 'vulns'],
  product: ['products', 'vulns'],
  package: ['packages', 'vulns'],
  bulletin: ['bulletins'],
  cve: ['cves', 'vulns'],
  vuln: ['vulns'],
}

// S2 §8: two seconds for what has versions.
const failure_ms = 2_000
const notices = {
  success: 'Monitoring status successfuly updated.',
  failure: 'Unable to change the monitoring status',
}
const vulnNotices = {
  success: 'Vulnerability monitoring successfuly updated.',
  failure: 'Unable to change the vulnerability monitoring status',
}
const metaFor = (kind: MonitoredKind) => {
  if (kind === 'vuln') return vulnNotices
  return kind === 'bulletin' || kind === 'cve' ? notices : { ...notices, failure_ms }
}

export const requestMonitored = (kind: MonitoredKind, ids: number[], monitored: boolean) =>
  senders[kind](ids, { monitored, organization_id: currentOrgId() })

export const refreshMonitored = (client: QueryClient, kind: MonitoredKind) =>
  Promise.all(affected[kind].map((key) => client.invalidateQueries({ queryKey: [key] })))

export const setMonitoredMutation = (kind: MonitoredKind) =>
  mutationOptions({
    mutationFn: ({ ids, monitored }: { ids: number[]; monitored: boolean }) => requestMonitored(kind, ids, monitored),
    onSuccess: (_reply, _choice, _result, { client }) => refreshMonitored(client, kind),
    meta: metaFor(kind),
  })
