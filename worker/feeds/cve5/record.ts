import { resolveAlias } from '../../domain/product-names'
import type { ProductName, Reference, VulnRecord } from '../../domain/record'
import { leaveSpokenOpen } from '../../domain/spoken-ends'
import { readCve5Affected } from './affected'
import { guessProducts } from './guesses'
import { readMetrics } from './metrics'
import { readCpeNames, readFreeName } from './names'
import { readCve5Packages } from './packages'
import type { Cve5, Cve5Container, ParsedAffected } from './schema'
import { utcStamp } from '../source/dates'

/** The CNA's container, completed by those of the ADPs; throws on a bad date. Source: CVE Record Format 5.1 (domain/cve5-status). */
export function fromCve5({ cveMetadata, containers }: Cve5): VulnRecord {
  const { cna, adp = [] } = containers
  const { cveId, state, assignerShortName, datePublished, dateRejected } = cveMetadata
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
  const affected = readCve5Affected(
    cna.affected ?? [],
    adp.flatMap((container) => container.affected ?? []),
  )
  const isLeftOut = !affected.length && !packages.length
  const named = isLeftOut ? nameFixed(cna.affected ?? []) : []
  const nameless = (cna.affected ?? []).filter(namesNothing)
  const isUnnamed = isLeftOut && !named.length && (nameless.length > 0 || !cna.affected?.length)
  const guesses = isUnnamed
    ? guessProducts({ title: cna.title ?? '', assigner: assignerShortName ?? '', cna: { ...cna, affected: nameless } })
    : []
  const summary = findText(cna.descriptions) || findText(adp.flatMap(({ descriptions = [] }) => descriptions))
  return {
    ...common,
    state: 'published',
    summary,
    ...readMetrics(cna, adp, assignerShortName),
    cwe_ids: readWeaknesses(all),
    references: readReferences(all),
    affected: leaveSpokenOpen(summary, affected),
    ...(named.length && { named }),
    ...(guesses.length && { guesses }),
    ...(packages.length && { packages }),
  }
}

/**
 * Products of a record that calls no version affected, and names a fix alone (snapd 2.59.5 of CVE-2023-1523): it is about them
 * nevertheless, by their names. What is unaffected whatever the version is not.
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

const namesNothing = (entry: ParsedAffected) => !readFreeName(entry) && !readCpeNames(entry).length

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

function readReferences(containers: Cve5Container[]): Reference[] {
  const byUrl = new Map<string, Set<string>>()
  for (const { url, tags = [] } of containers.flatMap(({ references = [] }) => references)) {
    if (!/^(https?|ftp):\/\//i.test(url)) continue
    const known = byUrl.get(url) ?? new Set()
    for (const tag of tags) {
      const name = tagNames.get(tag)
      if (name) known.add(name)
    }
    byUrl.set(url, known)
  }
  return [...byUrl].map(([url, tags]) => ({ url, tags: [...tags].sort() }))
}
