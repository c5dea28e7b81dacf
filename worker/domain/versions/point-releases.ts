import distributions from '../names/distributions.json' with { type: 'json' }
import { parseTail } from '../names/cpe'
import type { AffectedRange, ProductName, VersionRange } from '../words/record'

/** How many numbers name a release of each distribution; further ones name a point release: Debian 8.11, Ubuntu 12.04.1. */
const releaseNumbers = new Map(Object.entries(distributions.release_numbers))
/** Debian 3.0 and 3.1 and Red Hat's 2.1 were releases of their own. */
const firstWithPoints = 4

/**
 * Adds "unknown" for the point releases of a distribution's release: Debian 8.0 means Debian 8, which tells nothing of the packages
 * of a machine of 8.11.
 */
export function leavePointReleasesOpen({ vendor, product }: ProductName, ranges: AffectedRange[]): AffectedRange[] {
  const numbers = releaseNumbers.get(`${vendor}:${product}`)
  if (numbers === undefined) return ranges
  const releases = new Set(
    ranges.flatMap((range) => (typeof range === 'string' ? (releaseIn(range, numbers) ?? []) : [])),
  )
  const open = [...releases].map((is): VersionRange => ({ order: 'loose', is: `${is}.*`, status: 'unknown' }))
  return open.length ? [...ranges, ...open] : ranges
}

/** `8` of `o:8.0`, `12.04` of `o:12.04:*:esm`; null for what is a point release itself, or no release. */
function releaseIn(tail: string, numbers: number) {
  const parts = parseTail(tail).version.split('.')
  const [release, points] = [parts.slice(0, numbers), parts.slice(numbers)]
  const isRelease = release.length === numbers && release.every(isNumber) && points.every((part) => /^0+$/.test(part))
  return isRelease && Number(release[0]) >= firstWithPoints ? release.join('.') : null
}

const isNumber = (part: string) => /^\d{1,4}$/.test(part)
