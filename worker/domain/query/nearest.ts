import { fieldNames, getDefinition, offeredFields } from './fields'

const longest = 24
const names = [...new Set(offeredFields.flatMap((field) => [field, ...(getDefinition(field).aliases ?? [])]))]

/** The field whose name is written almost so: one letter in three may be wrong. Undefined if none is. */
export function findNearestField(word: string) {
  const nearest = findNearestWord(word, names, Math.ceil(word.length / 3))
  return fieldNames.find((field) => field === nearest || getDefinition(field).aliases?.some((name) => name === nearest))
}

/** The first of the names that differ least from a word, by at most so many letters; undefined if none does. */
export function findNearestWord(word: string, among: readonly string[], most: number) {
  const typed = word.toLowerCase()
  if (typed.length < 3 || typed.length > longest) return undefined
  let [nearest, least] = [undefined as string | undefined, most + 1]
  for (const name of among) {
    if (Math.abs(name.length - typed.length) >= least) continue
    const edits = countEdits(typed, name)
    if (edits < least) [nearest, least] = [name, edits]
  }
  return nearest
}

/** Letters that must be added, removed, replaced, or swapped with the next. */
export function countEdits(a: string, b: string) {
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let edits = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + cost)
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwapped) edits = Math.min(edits, (before[j - 2] ?? 0) + 1)
      row.push(edits)
    }
    ;[before, last] = [last, row]
  }
  return last[b.length] ?? 0
}
