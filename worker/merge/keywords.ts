import { kevWord } from '../db/fts'
import { findAgreedNames } from '../domain/names/agreed-names'
import { idWord, listCitedIds } from '../domain/names/cited-ids'
import type { Merged } from '../domain/words/merge'
import type { Source } from '../domain/words/record'

const maxKeywords = 2_000
const maxIds = 40
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
  if (words.size) for (const word of splitWords(summary)) words.delete(word)
  const urls = [...merged.references.map(({ url }) => url), ...exploits.map(({ link }) => link)]
  const ids = new Set([...urls.flatMap(listCitedIds).sort().slice(0, maxIds), ...merged.cwe_ids].map(idWord))
  // No name puts a vulnerability among those in KEV.
  words.delete(kevWord)
  const sorted = [...ids, ...[...words].sort()].join(' ').slice(0, maxKeywords)
  return merged.kev ? `${kevWord} ${sorted}`.trim() : sorted
}

// As the index splits them.
const splitWords = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
