import type { ParsedAffected } from './schema'

/** A word that stands before a bound of numbers alone: that of ESXi80U3 is part of a name. */
const wordBefore = /^\s*([a-z]{2,20})[ _-]?(?=\d{1,6}(?:\.\d{1,6}){0,5}(?: ?\([a-z]{2,5}\))?\s*$)/i
/** Words of counts apart from the version, whatever the name of the product. */
const counted = new Set('alpha beta build patch rc release sp update version'.split(' '))
const maxName = 200

/**
 * Takes from the bounds of ranges what names the product there: InDesign ends at "ID18.5", its capitals (CVE-2023-44343), Niagara
 * Framework at "Niagara 4.1" (CVE-2024-1309), and a phone begins at "Android 8" (CVE-2023-44126). Others write so after the CNA.
 */
export function stripOwnWords(cna: ParsedAffected[], entries: ParsedAffected[]): ParsedAffected[] {
  const words = new Set(['android', ...cna.flatMap(({ product = '' }) => listWords(product.slice(0, maxName)))])
  const isOwn = (text = '') => words.has(wordBefore.exec(text)?.[1]?.toLowerCase() ?? '')
  const strip = (text: string) => (isOwn(text) ? text.replace(wordBefore, '') : text)
  const respell = (one: Version): Version => {
    const { version, lessThan, lessThanOrEqual, versionType } = one
    const end = lessThan ?? lessThanOrEqual
    if (end === undefined || versionType === 'git' || !(isOwn(version) || isOwn(end))) return one
    const [from, to] = [strip(version), strip(end)]
    if (!areAlike(from, to)) return one
    return {
      ...one,
      version: from,
      ...(lessThan === undefined ? { lessThanOrEqual: to } : { lessThan: to }),
      is_guess: true,
    }
  }
  return entries.map((entry) => (entry.versions ? { ...entry, versions: entry.versions.map(respell) } : entry))
}
type Version = NonNullable<ParsedAffected['versions']>[number]

/** 6.2.0 is a release, and portal-173 a fix pack (CVE-2024-8980). */
const areAlike = (from: string, to: string) => !/[1-9]/.test(from) || from.includes('.') === to.includes('.')

/** Its words, and the capitals of each that has others between: InDesign gives indesign and id. */
function listWords(product: string) {
  const words = product.match(/[a-z]+/gi) ?? []
  const capitals = words.map((word) => (/[a-z]/.test(word) ? word.replace(/[^A-Z]/g, '') : ''))
  return [...words.filter((word) => word.length > 2), ...capitals.filter((letters) => letters.length > 1)]
    .map((word) => word.toLowerCase())
    .filter((word) => !counted.has(word))
}
