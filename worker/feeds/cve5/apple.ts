import type { ParsedAffected } from './schema'

type Version = NonNullable<ParsedAffected['versions']>[number]
const numbers = /^\d{1,4}(?:\.\d{1,4}){0,3}$/
const system = /^[a-z]{2,20}(?![a-z])/i
const fixedIn = /\bfixed in (.{1,2000}?)(?:\.(?:\s|$)|$)/s
/** A record has a dozen. */
const maxElements = 100

/**
 * Apple's form has room for two numbers: "before 13.6" is 13.6.1 where the summary says "fixed in macOS Ventura 13.6.1" (CVE-2023-41077),
 * so that all between is affected, too: likely. `areCut` where the summary does not tell each end.
 */
export function readAppleEnds(affected: ParsedAffected[], summary: string) {
  if (affected.length > maxElements) return { affected, areCut: true }
  const [, fixed = ''] = fixedIn.exec(summary) ?? []
  let areCut = false
  const told = affected.map((entry): ParsedAffected => {
    const [name] = system.exec(entry.product ?? '') ?? []
    const versions = entry.versions?.flatMap((one): Version[] => {
      const end = one.lessThan ?? ''
      const whole = name !== undefined && one.status === 'affected' ? findWholeEnd(name, end, fixed) : undefined
      areCut ||= whole === undefined
      if (whole === undefined || whole === end) return [one]
      return [one, { ...one, version: end, lessThan: whole, is_guess: true }]
    })
    return { ...entry, versions }
  })
  return { affected: told, areCut }
}

/** The one version that is called fixed of a system at or behind an end: 13.6.1 of "macOS Ventura 13.6.1". */
function findWholeEnd(name: string, end: string, fixed: string) {
  if (!numbers.test(end)) return undefined
  const escaped = end.replaceAll('.', String.raw`\.`)
  const named = new RegExp(
    String.raw`\b${name}(?: [A-Z][A-Za-z]{1,20}){0,2} (${escaped}(?:\.\d{1,4}){0,2})(?!\.?\d)`,
    'g',
  )
  const [whole, ...others] = new Set([...fixed.matchAll(named)].map(([, version]) => version))
  return others.length ? undefined : whole
}
