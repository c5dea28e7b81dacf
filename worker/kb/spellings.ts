import { listVariants, spellNames } from '../domain/query/spoken-names'

/** For an index of parts of names; null where each word is sought as it is. */
export function matchSpellings(text: string) {
  const [words = [], ...variants] = listVariants(text)
  if (words.length < 2 && !variants.length) return null
  const { own, others } = spellNames(text)
  const sets = [...[...own, ...others].map((one) => [one]), ...variants]
  const matches = sets.map((set) => set.filter((word) => word.length >= 3).map(quote))
  return matches.flatMap((set) => (set.length ? [`(${set.join(' AND ')})`] : [])).join(' OR ') || null
}

const quote = (text: string) => `"${text.replaceAll('\u0000', '').replaceAll('"', '""')}"`

/** A name holds a version rarely: `openssl 3.0`. */
export function withoutVersions(text: string) {
  const words = text.split(/\s+/).filter((word) => !/^v?\d[\d.]*$/i.test(word))
  return words.some((word) => [...word].length >= 3) ? words.join(' ') : text
}
