import table from './common-words.json' with { type: 'json' }
import type { Merged } from '../words/merge'

/** Words that occur in titles and addresses of any vulnerability. */
const common = new Set(table.words.join(' ').split(' '))
const shortest = 5
const maxNames = 10
/** Pages about exploits repeat the exploits' own words: they are no second source. */
const tellsOfExploits = /^https?:\/\/[^/]*(?:github|exploit|packetstorm|metasploit|rapid7|0day|nuclei)/i
const maxTitle = 200

/**
 * Words by which people call a vulnerability: those that titles of exploits of two sources share, or one title with KEV's name or the
 * address of a reference.
 */
export function findAgreedNames({ exploits, references, kev }: Pick<Merged, 'exploits' | 'references' | 'kev'>) {
  if (!exploits.length) return []
  const sourcesByWord = new Map<string, Set<string>>()
  const note = (source: string, text: string) => {
    for (const word of text.toLowerCase().match(/[a-z][a-z0-9]*/g) ?? [])
      if (word.length >= shortest && !common.has(word))
        sourcesByWord.set(word, (sourcesByWord.get(word) ?? new Set()).add(source))
  }
  for (const { source, notes } of exploits) note(source, readTitle(notes))
  const titled = new Set(sourcesByWord.keys())
  for (const { url } of references) if (!tellsOfExploits.test(url)) note('references', url)
  note('kev', kev?.name ?? '')
  return [...sourcesByWord]
    .flatMap(([word, all]) => (titled.has(word) && all.size > 1 ? word : []))
    .sort()
    .slice(0, maxNames)
}

/** The title alone, without the description behind it and without the owner of the repository. */
function readTitle(notes: string) {
  const [title = ''] = notes.slice(0, maxTitle).split(': ')
  return title.replace(/^[\w.-]+\//, '')
}
