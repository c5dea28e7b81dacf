/** `CVE-` year `-` 4 to 19 digits, upper case (CVE Record Format 5, `cveId`). */
export const cveIdPattern = /^CVE-\d{4}-\d{4,19}$/

/** The CVE id that a person typed: `cve-2021-44228`, `CVE 2021 44228`, `2021-44228`; null for anything else. */
export function readCveId(text: string) {
  const [, year, number] = /^(?:cve)?[\s_:\p{Pd}]{0,3}(\d{4})[\s_\p{Pd}]{1,3}(\d{4,19})$/iu.exec(text.trim()) ?? []
  return year && number ? `CVE-${year}-${number}` : null
}

const phIdPattern = /^PH-([1-9]\d{0,14})$/i

/** Whether a text is exactly one CVE id; upper-case what a person typed before asking. */
export const isCveId = (text: string) => cveIdPattern.test(text)

/** The number of one of our ids, `PH-12` or `ph-12` (DESIGN.md, section 4); null for anything else. */
export function parsePhId(text: string) {
  const digits = phIdPattern.exec(text.trim())?.[1]
  return digits ? Number(digits) : null
}

const privatePattern = /^ORG-(\d+)-/

/** The name of a vulnerability that an organization made for itself: it has no id that anybody else knows. */
export const newPrivateName = (org_id: number, key: string = crypto.randomUUID()) => `ORG-${org_id}-${key}`

/** The organization that made a vulnerability for itself; null for what is everybody's. */
export function parsePrivateName(name: string) {
  const digits = privatePattern.exec(name)?.[1]
  return digits ? Number(digits) : null
}

/** The name of a vulnerability without a CVE id that a global admin made for everybody. */
export const newOpenName = () => `EARSHOT-${crypto.randomUUID()}`

/** Whether a name was made here: it is shown to nobody, as nobody else knows it. */
const isMadeName = (name: string) => name.startsWith('EARSHOT-') || parsePrivateName(name) !== null

/** The id under which people know a vulnerability; null where it has only a name that was made here. */
export const knownId = (name: string | null) => (name === null || isMadeName(name) ? null : name)

/** The id of an advisory that has no CVE, whose vulnerability goes by it; none for a CVE id and for a name made here. */
export const advisoryIds = (name: string | null) => (name !== null && !isCveId(name) && !isMadeName(name) ? [name] : [])

/** How an id may be stored that somebody writes: `ghsa-JFH8-…` as "GHSA-jfh8-…", `rhsa-2024:1` as "RHSA-2024:1". */
export function idSpellings(text: string) {
  // The numbering authority 0 of GCVE is CVE (GCVE registry).
  const upper = text.toUpperCase().replace(/^GCVE-0-/, 'CVE-')
  return [...new Set([text, upper, upper.replace(/-.*$/, (rest) => rest.toLowerCase())])]
}

const publishers =
  'ALAS2?|ALSA|APSB|BDU|CISCO-SA|CNVD|CTX|CVE|DLA|DSA|EDB|ELSA|EUVD|FG-IR|GHSA|GLSA|GO|ICSA|ICSMA|JVN|JVNDB|MAL|MFSA|OPENSUSE-SU|OSV|PYSEC|RHBA|RHEA|RHSA|RLSA|RUSTSEC|SSA|SUSE-SU|TALOS|USN|VDE|VMSA|VU|WPVDB|ZDI'
const advisoryPattern = new RegExp(
  String.raw`^(?:(?:${publishers})[-:#]?(?=[\w.:-]{0,60}\d)[\w.:-]{3,60}|KB\d{5,8}|MS\d\d-\d{3})$`,
  'i',
)

/** Whether a text is the id of an advisory of one of the usual publishers: "GHSA-jfh8-c2jp-5v3q", "RHSA-2024:1234", "KB5034441", "MS17-010". */
export const isAdvisoryId = (text: string) => advisoryPattern.test(text)

/** Ids that records bring: by Red Hat, OSV with Debian's, GitHub, and the EU's list of what is exploited. */
const awaitedPattern = /^(?:CVE|DLA|DSA|EUVD|GHSA|GO|MAL|PYSEC|RHBA|RHEA|RHSA|RUSTSEC)-/i

/** Whether a source may name a vulnerability by this id one day: Microsoft's KB numbers stand in no record. */
export const canBeAwaited = (id: string) => awaitedPattern.test(id)

/** An id of an advisory in one spelling, however it was written: a GHSA has small letters behind its first part, others have none. */
export const canonicalId = (text: string) =>
  text.toUpperCase().replace(/^GHSA-.*$/, (id) => `GHSA${id.slice(4).toLowerCase()}`)

/** Whether a text has the form of an id ("GHSA-jfh8-c2jp-5v3q", "RHSA-2024:1234", "PH-12"), whoever gave it. */
export const hasFormOfId = (text: string) => /^[A-Za-z]+[-:][\w:.-]{1,200}$/.test(text)
