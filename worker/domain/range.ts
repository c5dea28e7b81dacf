import type { AffectedRange } from './record'

/** A range of versions in words: "1.0.1f", "1.0 beta1", ">= 1.0.1, < 1.0.1g", "all versions", "no version" (CPE's `-`). */
export function describeRange(range: AffectedRange): string {
  if (typeof range === 'string') return versionIn(range)
  const { cpe, ge, gt, le, lt } = range
  const bounds = [ge && `>= ${ge}`, gt && `> ${gt}`, le && `<= ${le}`, lt && `< ${lt}`].filter(Boolean)
  const named = versionIn(cpe)
  return [bounds.join(', '), named === everyVersion ? '' : `(${named})`].filter(Boolean).join(' ')
}

const everyVersion = 'all versions'

// The attributes of a CPE tail after the part: version, update, edition …; what is any is not said.
function versionIn(tail: string) {
  const [, version = '*', ...rest] = tail.split(/(?<!\\):/).map((value) => value.replaceAll(/\\(.)/g, '$1'))
  const more = rest.filter((value) => value !== '*' && value !== '-')
  if (version === '*') return more.length ? `all versions ${more.join(' ')}` : everyVersion
  return [version === '-' ? 'no version' : version, ...more].join(' ')
}
