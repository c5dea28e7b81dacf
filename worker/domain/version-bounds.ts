import type { Bounds, VersionOrder } from './record'
import { compareVersions } from './versions'

/**
 * Whether a version lies within bounds, which may end in a wildcard for all of a branch (`<= 5.10.*`). Null when the
 * order cannot say; one bound that does not hold is enough to say no.
 */
export function isWithin(order: VersionOrder, version: string, { ge, gt, le, lt }: Bounds): boolean | null {
  const sides = [
    ge === undefined ? true : holds(compareVersions(order, version, lowest(ge)), (sign) => sign >= 0),
    gt === undefined ? true : holds(compareVersions(order, version, highest(gt)), (sign) => sign > 0),
    le === undefined ? true : holds(compareVersions(order, version, highest(le)), (sign) => sign <= 0),
    lt === undefined ? true : holds(compareVersions(order, version, lowest(lt)), (sign) => sign < 0),
  ]
  if (sides.includes(false)) return false
  return sides.includes(null) ? null : true
}

const holds = (sign: number | null, rule: (sign: number) => boolean) => (sign === null ? null : rule(sign))

const wildcard = /\.[*x]$/
const lowest = (bound: string) => bound.replace(wildcard, '.0')
/** No version has a number as high as this one. */
const highest = (bound: string) => bound.replace(wildcard, '.999999999999')
