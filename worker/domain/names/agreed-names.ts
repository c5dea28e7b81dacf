import type { Merged } from '../words/merge'

/** Words that occur in titles and addresses of any vulnerability. */
const common = new Set(
  `about access account admin adobe advisories advisory alert analysis android apache application archive archives arbitrary article
  attack attacker attacks authenticated authentication based blog blogs browser buffer build bulletin bypass center check checker
  client cisco cloud code command commit community component configuration content control corruption cross database default denial
  deserialization detail details detection device directory disclosure docs document double download elevation enterprise escalation
  escape execute execution exploit exploitation exploits extension external feature file files filter firmware flaw format forgery
  framework function handling heap history http https improper include inclusion index information injection input insecure integer
  issue issues java javascript kernel library linux list lists local login mail malicious management manager memory message metasploit
  microsoft missing mobile module modules multiple network news notes object office oracle overflow package packages page pages
  parameter parser patch path payload plugin pointer portal post posts preauth privilege privileges product products project proof
  protocol public python query read readme reference reflected release releases remote report reporting request research reset
  resource response reverse root ruby scanner script scripting search secure security server service session shell simple site
  software source stack status stored string support system target technical template test tests ticket time tool tools tracker
  traversal unauthenticated update updates upload upgrade user users validation vendor version versions viewer vuln vulnerabilities
  vulnerability vulns weak windows wordpress write xpath`.split(/\s+/),
)
const shortest = 5
const maxNames = 10
/** Pages about exploits repeat the exploits' own words: they are no second source. */
const tellsOfExploits = /^https?:\/\/[^/]*(?:github|exploit|packetstorm|metasploit|rapid7|0day|nuclei)/i
const maxTitle = 200

/**
 * Words by which people call a vulnerability: those that the titles of exploits of two sources share, or the title of one with
 * KEV's name or the address of a reference.
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
