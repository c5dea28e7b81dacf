import type { Bounds, VersionOrder, VersionRange } from '../../domain/record'
import { compareVersions } from '../../domain/versions'

const comparator = /^(>=|<=|>|<|=)\s*(\S+)$/
const bounds = { '>=': 'ge', '>': 'gt', '<=': 'le', '<': 'lt' } as const

/**
 * A `vulnerable_version_range` ("= 2.0.0", ">= 2.5.0, < 2.5.16") with the first version that is patched. As in GitHub's
 * own export to OSV, a range that ends with an affected version goes up to the patched one. An end without a patched version
 * (`< 2.0`) is none that fixes. Throws on anything else.
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
