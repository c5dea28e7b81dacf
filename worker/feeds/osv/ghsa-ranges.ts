import type { Bounds, VersionOrder, VersionRange } from '../../domain/record'
import { compareVersions } from '../../domain/versions'

const comparator = /^(>=|<=|>|<|=)\s*(\S+)$/
const bounds = { '>=': 'ge', '>': 'gt', '<=': 'le', '<': 'lt' } as const

/**
 * As in GitHub's OSV export, a range up to an affected version ends at `patched`; without one, `< 2.0` names no fix.
 * Throws on any other text.
 */
export function parseGhsaRange(text: string, patched: string | null | undefined, order: VersionOrder): VersionRange {
  const limits: Bounds = {}
  let is: string | undefined
  for (const part of text.split(',').map((one) => one.trim())) {
    const [, sign, version = ''] = comparator.exec(part) ?? []
    if (sign === '=') is = version
    else if (sign === '>=' || sign === '>' || sign === '<=' || sign === '<') limits[bounds[sign]] = version
    else throw new Error(`Not a version range: ${text}`)
  }
  const last = is ?? limits.le
  const isPatchAfter = patched && last !== undefined && (compareVersions(order, last, patched) ?? 0) < 0
  const isFixUnstated = !patched && limits.lt !== undefined
  if (!isPatchAfter)
    return is === undefined ? { order, ...limits, ...(isFixUnstated && { is_fix_unstated: true }) } : { order, is }
  const { le: _, ...from } = limits
  return { order, ...from, ...(is !== undefined && { ge: is }), lt: patched }
}
