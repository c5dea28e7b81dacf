import type { Bounds, VersionOrder, VersionRange } from '../../domain/words/record'
import { compareVersions } from '../../domain/versions/versions'

const comparator = /^(>=|<=|>|<|=)\s*(\S+)$/
const bounds = { '>=': 'ge', '>': 'gt', '<=': 'le', '<': 'lt' } as const

/**
 * As in GitHub's OSV export, a range ends at `patched` where it ends before that or not at all; `< 2.0` names no fix unless
 * that is the patched version. Throws on any other text.
 */
export function parseGhsaRange(text: string, patched: string | null | undefined, order: VersionOrder): VersionRange {
  const { is, ...limits } = readLimits(text)
  const { ge, gt, le, lt } = limits
  const isAfter = (version: string) => (compareVersions(order, version, patched ?? '') ?? 0) < 0
  const last = is ?? le ?? lt
  if (patched && (last === undefined ? isAfter(ge ?? gt ?? '0') : isAfter(last)))
    return { order, ...(gt !== undefined && { gt }), ...((is ?? ge) !== undefined && { ge: is ?? ge }), lt: patched }
  if (is !== undefined) return { order, is }
  const isFix = patched && lt !== undefined && (patched === lt || compareVersions(order, patched, lt) === 0)
  return { order, ...limits, ...(lt !== undefined && !isFix && { is_fix_unstated: true }) }
}

function readLimits(text: string): Bounds & { is?: string } {
  const limits: Bounds & { is?: string } = {}
  for (const part of text.split(',').map((one) => one.trim())) {
    const [, sign, version = ''] = comparator.exec(part) ?? []
    if (sign === '=') limits.is = version
    else if (sign !== '>=' && sign !== '>' && sign !== '<=' && sign !== '<')
      throw new Error(`Not a version range: ${text}`)
    // GitHub's text for "from the first version on": pre-releases of it count, too.
    else if (sign !== '>=' || version !== '0') limits[bounds[sign]] = version
  }
  return limits
}
