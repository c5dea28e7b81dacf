import type { ChannelRow } from '../../../worker/alerts/channels/contract'
import type { SeededChance } from '../../support/seeded-chance'
import type { Box } from './box'
import type { World } from './world'

export const labels = ['dmz', 'office']
export const randomRules = ({ pick, is }: SeededChance) => ({
  on_new: is(0.6),
  on_update: is(0.6),
  on_exploitable: is(0.5),
  on_kev: is(0.5),
  on_fix: is(0.5),
  on_score: is(0.5),
  score_value: pick([20, 60, 90]),
  on_cvss3: is(0.5),
  cvss3_value: pick([4, 7, 9]),
  on_epss: is(0.3),
  epss_value: pick(['90th', '95th', '50%'] as const),
  min_score: pick([0, 0, 30, 70]),
  groups: pick([[], [], ['dmz'], labels]),
  verdicts: pick<ChannelRow['verdicts']>([[], [], ['unknown'], ['confirmed', 'likely']]),
  daily_max: pick([1, 3, 100]),
})

export type ChangingVuln = Record<'score' | 'cvss3' | 'epss' | 'epss_percentile', number | null>

/** Writes of a merge to the log and to the vulnerability. A move of a score alone, or of an EPSS past a percentile, is minor. */
export function randomChange({ pick }: SeededChance, vuln: ChangingVuln) {
  const [score, cvss3] = [pick([10, 50, 70, 95]), pick([3, 6.5, 8, 9.8])]
  const [epss, epss_percentile] = [pick([0.2, 0.7]), pick([0.92, 0.97])]
  const risen = { field: 'epss', from: vuln.epss, to: epss, percentiles: [vuln.epss_percentile, epss_percentile] }
  return pick<[detail: object, columns: Record<string, unknown>, kind?: 'minor']>([
    [{ field: 'score', from: vuln.score, to: score }, { score }, 'minor'],
    [risen, { epss, epss_percentile }, 'minor'],
    [risen, { epss, epss_percentile }],
    [{ field: 'cvss3', from: vuln.cvss3, to: cvss3 }, { cvss3 }],
    [{ field: 'is_exploitable', to: true }, { is_exploitable: 1 }],
    [{ field: 'kev_added_at', from: null, to: '2026-11-01' }, { kev_added_at: '2026-11-01' }],
    [{ field: 'fixes', added: ['acme:widget 2.0'], count: 1 }, {}],
  ])
}

/** How many messages came to the receivers of an organization, whatever was sent twice. */
export async function countReceived(world: World, { org, box }: { org: { email: string }; box: Box }) {
  const { requests, alerts, comments } = await box.state()
  const bodies = (kind: string) =>
    requests.filter(({ taken, path }) => taken && path.startsWith(`/${kind}`)).map(({ body }) => body)
  const named = (kind: string) => bodies(kind).flatMap((body) => body.match(/delivery-\d+/g) ?? []).length
  const counts = {
    email: world.mails.filter(({ to }) => to === org.email).length,
    slack: named('slack'),
    teams: named('teams'),
    thehive: alerts.length + comments.length,
    misp: requests.filter(({ taken, path, method }) => taken && path.startsWith('/misp') && method !== 'GET').length,
    webhook: bodies('hook').length,
  }
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
}
