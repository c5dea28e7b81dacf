import { listFixVersions } from '../../domain/decisions/decision'
import { packageOrder } from '../../domain/versions/versions'
import { makeSafe } from '../../exposure/safe-upgrades'
import type { Rival } from '../../exposure/safe-upgrades'
import type { VulnDetail } from './contract'
import type { ComposedDetail } from './detail'

/** Adds what to run instead of the versions that are told as fixes, where another exploited vulnerability affects them. */
export function withSafeUpgrades(
  details: ComposedDetail[],
  rivals: Rival[],
): Omit<VulnDetail, 'uncompared' | 'runs'>[] {
  const fixes = details.flatMap((detail) => listFixVersions(detail).map((fix) => ({ ...fix, vuln_id: detail.id })))
  const planned = fixes.map(({ via: kind, vendor: first, name, version, vuln_id }) => ({
    to: version,
    order: packageOrder(kind === 'package' ? first : 'generic'),
    targets: [{ kind, first, name, version, purl: null, attributes: null }],
    vuln_ids: new Set([vuln_id]),
  }))
  const safe = makeSafe(planned, rivals)
  const raised = fixes.flatMap(({ version: first, vuln_id, ...item }, at) => {
    const { to = first, because = [], still: all = [] } = safe[at] ?? {}
    // That it is disputed itself stands beside the fix.
    const still = all.filter(({ id }) => id !== vuln_id)
    return to !== first || still.length ? [{ vuln_id, upgrade: { ...item, first, to, because, still } }] : []
  })
  const byVuln = Map.groupBy(raised, ({ vuln_id }) => vuln_id)
  return details.map((detail) => ({
    ...detail,
    safe_upgrades: (byVuln.get(detail.id) ?? []).map(({ upgrade }) => upgrade),
  }))
}
