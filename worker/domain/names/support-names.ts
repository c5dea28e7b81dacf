/** A name that a product may have here; `vendor` and `release` are null where the words name none. */
type NameForm = { vendor: string | null; name: string; release: string | null }

const toParts = (words: string) => words.toLowerCase().match(/[a-z0-9+#]+/g) ?? []
const joinParts = (parts: string[]) => [...new Set([parts.join('_'), parts.join('-'), parts.join('')])]
/** One word of one letter or number names nothing. */
const shortestName = 2

/**
 * Names of products that the words of another list may mean: as they stand, with the vendor in front (`cisco-ios-xe` is
 * `cisco:ios_xe`), and of each release, where it is a product of its own (`windows_server_2019`).
 */
export function listNameForms(words: string[], releases: string[]): NameForm[] {
  const forms = new Map<string, NameForm>()
  const add = (vendor: string | null, name: string, release: string | null = null) => {
    if (name.length >= shortestName) forms.set(JSON.stringify([vendor, name]), { vendor, name, release })
  }
  for (const parts of words.map(toParts)) {
    for (const name of joinParts(parts)) add(null, name)
    for (let at = 1; at < parts.length; at++)
      for (const vendor of joinParts(parts.slice(0, at)))
        for (const name of joinParts(parts.slice(at))) add(vendor, name)
    for (const release of releases) add(null, [...parts, ...toParts(release)].join('_'), release)
  }
  return [...forms.values()]
}
