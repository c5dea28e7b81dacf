import { readSpoken } from './spoken'

/** No name is longer. */
const maxLetters = 200
const maxOthers = 8
const maxVariants = 4
const separators = ['_', '-', '', '.', ' ']
/** Names of several words are written in these ways alone. */
const longSeparators = separators.slice(0, 2)

const split = (text: string) => text.slice(0, maxLetters).toLowerCase().split(/\s+/).filter(Boolean)

/**
 * The words of a searched name in lower case as they are written, then with what else analysts call the same: `mssql` is
 * `sql server`, too. At most four lists of words.
 */
export function listVariants(text: string): string[][] {
  const words = split(text)
  const units = readSpoken(words.join(' '))
  const others = units.flatMap(({ others: sets }, at) =>
    sets.map((set) => units.flatMap((unit, place) => (place === at ? set : unit.words)).flatMap(split)),
  )
  return [words, ...others].slice(0, maxVariants)
}

/**
 * How the CPE dictionary and package managers may write a searched name, in lower case: `windows 11` is `windows_11`; `others`, at
 * most eight, are those of what is called the same: `bigip` is `big-ip`.
 */
export function spellNames(text: string): { own: string[]; others: string[] } {
  const [own = [], ...others] = listVariants(text).map((words) =>
    (words.length > 2 ? longSeparators : separators).map((separator) => words.join(separator)),
  )
  const further = others.flat().filter((one) => !own.includes(one))
  return { own: [...new Set(own)], others: [...new Set(further)].slice(0, maxOthers) }
}
