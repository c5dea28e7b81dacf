import table from './famous-names.json' with { type: 'json' }

const letters = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

const named = Object.entries(table.names).map(([name, ids]) => ({
  name,
  cveids: ids.split(' ').map((id) => `CVE-${id}`),
}))
const byName = new Map(named.map(({ name, cveids }) => [letters(name), cveids]))
const byCve = new Map<string, string[]>()
for (const { name, cveids } of named) for (const cveid of cveids) byCve.set(cveid, [...(byCve.get(cveid) ?? []), name])

/** The words of the famous names, in lower case. */
export const famousWords = named.flatMap(({ name }) => name.toLowerCase().split(/[^a-z0-9]+/))

/** The CVE ids of a famous name, whatever its spaces, signs and letter case; none for other words. */
export const findFamous = (name: string): string[] => byName.get(letters(name)) ?? []

/** A search for a campaign or its victim finds the vulnerabilities that it used, but is not their name. */
const campaigns = new Set(table.campaigns)

/** The names of a CVE id ("CVE-2014-0160": Heartbleed); none for most. */
export const famousNames = (cveid: string | null): string[] =>
  byCve.get(cveid ?? '')?.filter((name) => !campaigns.has(name)) ?? []
