import { createPlacing } from './affected-items'
import { compareVersions } from './versions'

const version = String.raw`v?(\d[\w.+-]{0,60}\w|\d)`
const lastAffected = [
  new RegExp(String.raw`\b(?:through|up to and including|up to|<=) ${version}`, 'gi'),
  new RegExp(String.raw`\b${version}(?:,| and| or) (?:and |all )?(?:earlier|prior|below|previous|lower)\b`, 'gi'),
]
const maxRead = 4_000

/** The versions that a summary calls the last affected: "2.0-beta9 through 2.15.0", "8.0.27 and prior". */
const findLastAffected = (summary: string) =>
  lastAffected.flatMap((pattern) =>
    [...summary.slice(0, maxRead).matchAll(pattern)].flatMap(([, found]) => found ?? []),
  )

type Tested = { version: string; via: 'product' | 'package'; group: string; name: string }

/**
 * Whether the summary itself calls this very version of a product or package affected, whatever the ranges of the sources
 * say: that of CVE-2021-44228 says "through 2.15.0", and all ranges end before it.
 */
export function isAffectedBySummary(summary: string, { version: tested, via, group, name }: Tested) {
  const isNamed = createPlacing(summary)({ via, group, name, monitored: false, statements: [] }).weight >= 4
  return isNamed && findLastAffected(summary).some((last) => compareVersions('loose', last, tested) === 0)
}
