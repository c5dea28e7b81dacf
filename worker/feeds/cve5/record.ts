import { leaveLateFixesOpen } from '../../domain/versions/later-fixes'
import { isVersion } from '../../domain/versions/versions'
import { resolveAlias } from '../../domain/names/product-names'
import type { AffectedProduct, ProductName, VulnRecord } from '../../domain/words/record'
import { leaveSpokenBranchesOpen, leaveSpokenOpen } from '../../domain/versions/spoken-ends'
import { readCve5Affected } from './affected'
import { readAppleEnds } from './apple'
import { guessProducts } from './guesses'
import { readMetrics } from './metrics'
import { readCpeNames, readFreeName } from './names'
import { stripOwnWords } from './own-words'
import { readCve5Packages } from './packages'
import type { Cve5, Cve5Container, ParsedAffected } from './schema'
import { readTitle } from '../source/advisory-text'
import { utcStamp } from '../source/dates'
import { uniteReferences } from '../source/fields'

/** The CNA's container, completed by those of the ADPs; throws on a bad date. Source: CVE Record Format 5.1 (domain/versions/cve5-status). */
export function fromCve5({ cveMetadata, containers }: Cve5): VulnRecord {
  const { adp = [] } = containers
  const { cveId, state, assignerShortName, datePublished, dateRejected } = cveMetadata
  const cna = readUpTo(containers.cna, assignerShortName)
  const dateUpdated = cveMetadata.dateUpdated ?? dateRejected ?? datePublished
  const common = {
    cveid: cveId,
    ...(datePublished && { published: utcStamp(datePublished) }),
    ...(dateUpdated && { modified: utcStamp(dateUpdated) }),
    ...(assignerShortName && { assigner: assignerShortName }),
  }
  if (state === 'REJECTED')
    return { ...common, state: 'rejected', summary: findText(cna.rejectedReasons ?? cna.descriptions) }

  const all = [cna, ...adp]
  const packages = readCve5Packages(all)
  const summary = findText(cna.descriptions) || findText(adp.flatMap(({ descriptions = [] }) => descriptions))
  const affected = readAffected(cna, adp, { summary, assigner: assignerShortName })
  const isLeftOut = !affected.length && !packages.length
  const named = isLeftOut ? nameFixed(cna.affected ?? []) : []
  const nameless = (cna.affected ?? []).filter(namesNothing)
  const isUnnamed = isLeftOut && !named.length && (nameless.length > 0 || !cna.affected?.length)
  const guesses = isUnnamed
    ? guessProducts({ title: cna.title ?? '', assigner: assignerShortName ?? '', cna: { ...cna, affected: nameless } })
    : []
  const title = readTitle(cna.title ?? '', summary)
  return {
    ...common,
    state: 'published',
    ...(title && { title }),
    summary,
    ...readMetrics(cna, adp, assignerShortName),
    cwe_ids: readWeaknesses(all),
    references: readReferences(all),
    affected: leaveLateFixesOpen(
      findText(cna.solutions),
      leaveSpokenBranchesOpen(summary, leaveSpokenOpen(summary, affected)),
    ),
    ...(named.length && { named }),
    ...(guesses.length && { guesses }),
    ...(packages.length && { packages }),
  }
}

type Written = { summary: string; assigner: string | undefined }

function readAffected(cna: Cve5Container, adp: Cve5Container[], { summary, assigner }: Written) {
  const own = cna.affected ?? []
  const added = stripOwnWords(
    own,
    adp.flatMap((container) => container.affected ?? []),
  )
  const { affected, areCut } =
    assigner === 'apple'
      ? readAppleEnds(own, summary.slice(0, 10_000))
      : { affected: stripOwnWords(own, own), areCut: true }
  const isOfCisa = adp.every((container) => !container.affected?.length || isCisa(container))
  return readCve5Affected(affected, added, assigner, areCut).map(({ isAdded, ...product }): AffectedProduct =>
    isAdded && isOfCisa ? { ...product, by: 'cisa' } : product,
  )
}

const isCisa = ({ providerMetadata }: Cve5Container) => providerMetadata?.shortName === 'CISA-ADP'

/** HackerOne's form has one field for the last affected version, which it writes as beginning and end (CVE-2024-27982). */
const cnaOfLast = 'hackerone'
/** Its own records of curl list each version. */
const exactProducts = /curl/i
const lowerBehind = /^[,)]? ?(?:and|or)? ?(?:all )?(?:below|earlier|lower|older|previous|prior)\b/i
const lowerBefore = /(?:<=|\u2264|\bup to(?: and including)?|\bthrough)(?: versions?)? ?$/i
const maxEnds = 200

/** An element whose beginning is its end is all up to there, where the CNA or the summary says so: likely. */
function readUpTo(cna: Cve5Container, assigner = ''): Cve5Container {
  const summary = findText(cna.descriptions).slice(0, 10_000)
  const isUpTo = (version: string) => {
    const at = summary.indexOf(version)
    if (at === -1) return false
    const behind = summary.slice(at + version.length, at + version.length + 40)
    return lowerBehind.test(behind) || lowerBefore.test(summary.slice(Math.max(0, at - 40), at))
  }
  const affected = cna.affected?.map((entry): ParsedAffected => {
    const { versions = [], product = '' } = entry
    const ends = versions.filter((one) => one.version === one.lessThanOrEqual && one.status === 'affected')
    if (!ends.length || ends.length > maxEnds || exactProducts.test(product)) return entry
    const isMeant = (one: (typeof ends)[number]) =>
      ends.includes(one) && isVersion('loose', one.version) && (assigner === cnaOfLast || isUpTo(one.version))
    return {
      ...entry,
      versions: versions.map((one) => (isMeant(one) ? { ...one, version: '0', is_guess: true } : one)),
    }
  })
  return affected ? { ...cna, affected } : cna
}

/**
 * Products of a record that calls no version affected, and names a fix alone (snapd 2.59.5 of CVE-2023-1523): it is about them
 * nevertheless, by their names. A product unaffected whatever its version is not a subject.
 */
function nameFixed(entries: ParsedAffected[]): ProductName[] {
  const fixed = entries.filter(
    ({ defaultStatus, versions = [] }) => versions.length > 0 || defaultStatus !== 'unaffected',
  )
  const names = fixed.flatMap((entry) => {
    const cpes = readCpeNames(entry)
    return cpes.length ? cpes : (readFreeName(entry) ?? [])
  })
  return [...new Map(names.map(resolveAlias).map((name) => [`${name.vendor}:${name.product}`, name])).values()]
}

export const namesNothing = (entry: ParsedAffected) => !readFreeName(entry) && !readCpeNames(entry).length

// `en`, `en-US` and the like; else the first text.
function findText(texts: { lang: string; value: string }[] = []) {
  const [first] = texts
  return (texts.find(({ lang }) => /^en(?![a-z])/i.test(lang)) ?? first)?.value.trim() ?? ''
}

function readWeaknesses(containers: Cve5Container[]) {
  const descriptions = containers.flatMap(({ problemTypes = [] }) => problemTypes.flatMap((one) => one.descriptions))
  const numbers = descriptions.flatMap(({ cweId = '', description = '' }) => {
    const named = /^CWE-(\d+)$/i.exec(cweId)
    return named ? [named[1]] : [...description.matchAll(/\bCWE[- ]?(\d+)\b/gi)].map(([, number]) => number)
  })
  return [...new Set(numbers.map((number) => `CWE-${Number(number)}`))]
}

/** Tags of the CVE Record Format with the equal tag of NVD; we drop the others. */
const tagNames = new Map<string, string>([
  ['broken-link', 'Broken Link'],
  ['exploit', 'Exploit'],
  ['issue-tracking', 'Issue Tracking'],
  ['mailing-list', 'Mailing List'],
  ['media-coverage', 'Press/Media Coverage'],
  ['mitigation', 'Mitigation'],
  ['not-applicable', 'Not Applicable'],
  ['patch', 'Patch'],
  ['permissions-required', 'Permissions Required'],
  ['product', 'Product'],
  ['release-notes', 'Release Notes'],
  ['signature', 'Tool Signature'],
  ['technical-description', 'Technical Description'],
  ['third-party-advisory', 'Third Party Advisory'],
  ['vdb-entry', 'VDB Entry'],
  ['vendor-advisory', 'Vendor Advisory'],
])

const readReferences = (containers: Cve5Container[]) =>
  uniteReferences(
    containers
      .flatMap(({ references = [] }) => references)
      .map(({ url, tags = [] }) => ({ url, tags: tags.flatMap((tag) => tagNames.get(tag) ?? []) })),
  )
