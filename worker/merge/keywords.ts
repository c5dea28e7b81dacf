import { kevWord } from '../db/fts'
import { findAgreedNames } from '../domain/names/agreed-names'
import { idWord, listCitedIds } from '../domain/names/cited-ids'
import type { Merged } from '../domain/words/merge'
import type { Source } from '../domain/words/record'

const maxKeywords = 2_000
const maxIds = 40
/** Words times letters: above this number a summary is split. */
const maxSought = 200_000
/** Sources whose exploits have a title: a repository may have any name. */
const titled = new Set<Source>(['exploitdb', 'metasploit', 'nuclei'])
/** An exploit's notes begin with its title. */
const title = /^[^:]{0,150}/

/**
 * Words searched beside the summary, in an order that does not depend on who said them first: whether it is in KEV, ids of advisories and
 * weaknesses as one word each, and words of its names, of what is affected, of the catalogues, and of exploits.
 */
export function collectKeywords(merged: Merged, summary: string, affected: Map<string, unknown>[]) {
  const exploits = merged.exploits.filter(({ source }) => titled.has(source))
  const texts = [
    merged.title ?? '',
    ...affected.flatMap((names) => [...names.keys()]),
    ...merged.catalogue_words,
    ...exploits.map(({ notes }) => title.exec(notes)?.[0] ?? ''),
  ]
  const words = new Set([...findAgreedNames(merged), ...texts.flatMap(splitWords)])
  const told = summary.toLowerCase()
  if (words.size * told.length > maxSought) for (const word of splitWords(told)) words.delete(word)
  else for (const word of words) if (hasWord(told, word)) words.delete(word)
  const urls = [...merged.references.map(({ url }) => url), ...exploits.map(({ link }) => link)]
  const ids = new Set([...urls.flatMap(listCitedIds).sort().slice(0, maxIds), ...merged.cwe_ids].map(idWord))
  // No name puts a vulnerability among those in KEV.
  words.delete(kevWord)
  const sorted = [...ids, ...[...words].sort()].join(' ').slice(0, maxKeywords)
  return merged.kev ? `${kevWord} ${sorted}`.trim() : sorted
}

// As the index splits them.
const splitWords = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** Whether `splitWords` finds the word: most words do not occur in a text at all. */
function hasWord(text: string, word: string) {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const end = at + word.length
    if (!endsInWord.test(text.slice(Math.max(0, at - 2), at)) && !beginsWithWord.test(text.slice(end, end + 2)))
      return true
  }
  return false
}
const endsInWord = /[\p{L}\p{N}]$/u
const beginsWithWord = /^[\p{L}\p{N}]/u
