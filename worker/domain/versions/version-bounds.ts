import type { Bounds, VersionOrder } from '../words/record'
import { compareVersions } from './versions'

/** A bound may end in a wildcard (`<= 5.10.*`). Null when the order cannot say; one bound that does not hold says no. */
export function isWithin(order: VersionOrder, version: string, { ge, gt, le, lt }: Bounds): boolean | null {
  const compare = (bound: string) => compareVersions(order, version, bound)
  const sides = [
    ge === undefined || holds(compare(lowest(ge)), (sign) => sign >= 0),
    gt === undefined || holds(compare(highest(gt)), (sign) => sign > 0),
    le === undefined || holds(compare(highest(le)), (sign) => sign <= 0),
    lt === undefined || holds(compare(lowest(lt)), (sign) => sign < 0),
  ]
  if (sides.includes(false)) return false
  return sides.includes(null) ? null : true
}

/** Whether bounds lie within others and leave something of them out; false where the order cannot say. */
export function isNarrower(order: VersionOrder, inner: Bounds, outer: Bounds) {
  const [low, high] = [compareLow(order, inner, outer), compareHigh(order, inner, outer)]
  return low !== null && high !== null && low >= 0 && high <= 0 && low - high > 0
}

const holds = (sign: number | null, rule: (sign: number) => boolean) => (sign === null ? null : rule(sign))

function compareLow(order: VersionOrder, a: Bounds, b: Bounds) {
  const [left, right] = [a.ge ?? a.gt, b.ge ?? b.gt]
  if (left === undefined || right === undefined) return Number(left !== undefined) - Number(right !== undefined)
  const sign = compareVersions(order, lowest(left), lowest(right))
  return sign === 0 ? Number(a.ge === undefined) - Number(b.ge === undefined) : sign
}

function compareHigh(order: VersionOrder, a: Bounds, b: Bounds) {
  const [left, right] = [a.le ?? a.lt, b.le ?? b.lt]
  if (left === undefined || right === undefined) return Number(right !== undefined) - Number(left !== undefined)
  const sign = compareVersions(order, highest(left), highest(right))
  return sign === 0 ? Number(b.le === undefined) - Number(a.le === undefined) : sign
}

/** Office v.X is a version of its own. */
export const branchWildcard = /(?<!^[a-zA-Z]*)\.[*x]$/
export const lowest = (bound: string) => bound.replace(branchWildcard, '.0')
/** No version has a number as high as this one. */
export const highest = (bound: string) => bound.replace(branchWildcard, '.999999999999')
