/** Ids of advisories in an address, as their publishers write them. */
const cited = new RegExp(
  String.raw`(?:RH[SBE]A-\d{4}(?::|%3A)\d{1,6}|USN-\d{1,5}|D[SL]A-\d{1,5}|cisco-sa-[\w-]{4,80}|VMSA-\d{4}-\d{1,5}|FG-IR-\d\d-\d{1,4}|CTX\d{5,7}|MS\d\d-\d{3}|KB\d{6,8}|ZDI-\d\d-\d{1,5}|APSB\d\d-\d{1,4}|TALOS-\d{4}-\d{1,5}|GHSA(?:-[\da-z]{4}){3}|ICSA-\d\d-\d{1,3}-\d{1,3}|SSA-\d{6})(?![\da-z])`,
  'gi',
)
/** Addresses whose number alone is the id. */
const numbered: [address: RegExp, id: string][] = [
  [/^https?:\/\/(?:www\.)?kb\.cert\.org\/vuls\/id\/(\d{1,9})/i, 'VU#'],
  [/^https?:\/\/(?:www\.)?exploit-db\.com\/exploits\/(\d{1,9})/i, 'EDB-'],
  [/^https?:\/\/support\.microsoft\.com\/(?:[\w-]{1,9}\/)?(?:kb|help)\/(\d{6,8})/i, 'KB'],
]
const maxLength = 500

/** The ids of advisories, exploits and articles that an address names: "https://www.debian.org/security/2014/dsa-2896" has "dsa-2896". */
export function listCitedIds(url: string): string[] {
  const address = url.slice(0, maxLength)
  const ids = address.match(cited) ?? []
  return [
    ...ids,
    ...numbered.flatMap(
      ([pattern, prefix]) =>
        pattern
          .exec(address)
          ?.slice(1, 2)
          .map((id) => prefix + id) ?? [],
    ),
  ]
}

/** An id as one word of the full text: "MS17-010" is "ms17010". Of an advisory that was revised all revisions are one: "USN-6859-1". */
export const idWord = (id: string) =>
  id
    .toLowerCase()
    .replace('%3a', ':')
    .replace(/^(usn|dsa|dla)-(\d+)-\d+$/, '$1-$2')
    .replaceAll(/[^a-z0-9]/g, '')
