import { readSpoken } from '../domain/query/spoken'

/** No name is longer. */
const maxLetters = 200
const maxOthers = 8
const maxVariants = 4
const separators = ['_', '-', '', '.', ' ']
/** Names of several words are written in these ways alone. */
const longSeparators = separators.slice(0, 2)

const split = (text: string) => text.slice(0, maxLetters).toLowerCase().split(/\s+/).filter(Boolean)

/** The words of a search as they are written, and with what else analysts call the same: `mssql` is `sql server`, too. */
function listVariants(text: string) {
  const words = split(text)
  const units = readSpoken(words.join(' '))
  const others = units.flatMap(({ others: sets }, at) =>
    sets.map((set) => units.flatMap((unit, place) => (place === at ? set : unit.words)).flatMap(split)),
  )
  return [words, ...others].slice(0, maxVariants)
}

/** How a name may write what is searched for, in lower case: `windows 11` is `windows_11`; `others` are those of what is called the same: `bigip` is `big-ip`. */
export function spellNames(text: string) {
  const [own = [], ...others] = listVariants(text).map((words) =>
    (words.length > 2 ? longSeparators : separators).map((separator) => words.join(separator)),
  )
  const further = others.flat().filter((one) => !own.includes(one))
  return { own: [...new Set(own)], others: [...new Set(further)].slice(0, maxOthers) }
}

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
