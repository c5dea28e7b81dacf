import { decideRunning, runWords, tellUnfixed, type Running } from './running'
import { hostname, sharedHosts, siteName, tellsOfSecurity } from './sites'
import { tellAssumed, type AssumablePoint, type DuePolicy } from './due'
import { famousNames } from '../names/famous'
import { productLabel } from '../names/product'
import { joinSome, someLines } from '../words/short-lists'
import type { OtherVuln } from '../versions/upgrade'
import type { JudgedKind } from '../versions/verdict'

type Fixing = { fixed: string[]; first_unlisted: string[]; versions?: string[]; monitored?: boolean }
type Product = Fixing & { vendor: string; product: string }
type Package = Fixing & { type: string; name: string }

/** Facts of a vulnerability to decide on it; a public page has nothing of an organization. */
export type Decided = {
  id: number
  cveid: string | null
  aliases: string[]
  title: string | null
  summary: string
  cwe_name: string
  kev: { added: string; due: string | null; ransomware: boolean } | null
  /** The day by the policy of an organization, and why; missing where nobody's policy counts. */
  due?: string | null
  due_reason?: { due_policy: DuePolicy; text: string; days: number | null; assumed: AssumablePoint[] } | null
  is_in_the_wild: boolean
  is_exploitable: boolean
  exploit_count: number
  references: { url: string; tags: string[] }[]
  affected: Product[]
  affected_packages: Package[]
  safe_upgrades: ToldUpgrade[]
}
/** `vendor` is the type of a package; `first` the version that fixes it, `to` the one to run instead. */
type ToldUpgrade = {
  via: JudgedKind
  vendor: string
  name: string
  first: string
  to: string
  because: OtherVuln[]
  still: OtherVuln[]
}

/** `when` is a day, or the next upgrade; `why` is empty for the day in KEV. */
type ToldDue = { label: string; when: string; day: string | null; why: string; unsure: string }

export type Exploitation = 'ransomware' | 'exploited' | 'public' | 'none'
/** `isStated` where a source says that they fix it; else they are the first that are not listed. `disputed`: a source lists them as affected. */
type StatedFix = { name: string; versions: string[]; disputed: string[]; isStated: boolean }
export type Decision = {
  name: string
  exploitation: Exploitation
  /** Its fixes, nearest to the organization first; empty if no source names a version. */
  fixes: StatedFix[]
  /** Versions to run instead of a fix that has another exploited vulnerability, as sentences. */
  upgrades: string[]
  due: ToldDue | null
  link: { url: string; kind: 'Patch' | 'Mitigation' | 'Advisory' } | null
}

export const shownFixes = 2
const shownVersions = 6
const shownItems = 5

/** Answer for somebody who is woken at night: how bad a vulnerability is now, and what to do. */
export function decide(vuln: Decided): Decision {
  const candidates = rankCandidates(vuln)
  return {
    name: nameVuln(vuln, candidates[0]?.name),
    exploitation: judgeExploitation(vuln),
    fixes: listFixes(candidates),
    upgrades: vuln.safe_upgrades.map(describeUpgrade),
    due: tellDue(vuln),
    link: findLink(vuln.references, candidates[0]?.owner),
  }
}

/** Null where nothing is due: nobody monitors it, or the policy says nothing of it. */
function tellDue({ kev, due = null, due_reason }: Decided): ToldDue | null {
  if (due_reason === undefined || due_reason?.due_policy === 'cisa_kev')
    return kev?.due ? { label: 'Due (CISA)', when: kev.due, day: kev.due, why: '', unsure: '' } : null
  if (!due_reason || (due === null && due_reason.days !== null)) return null
  const { due_policy, text, assumed } = due_reason
  const later = due_policy === 'own' ? 'No deadline' : 'At the next upgrade'
  return { label: 'Due', when: due ?? later, day: due, why: text, unsure: tellAssumed(assumed) }
}

/** A stated fix counts more than a mere end of ranges, but less than the nearness of whoever ships it. */
const statedWeight = 2

/** The nearest candidates that have a fix: other products with the same code have versions of their own. */
function listNearest(candidates: Candidate[]) {
  const known = candidates.filter(({ fixed, first_unlisted }) => fixed.length + first_unlisted.length > 0)
  const weight = ({ nearness, fixed }: Candidate) => nearness + Number(fixed.length > 0) * statedWeight
  const heaviest = Math.max(...known.map(weight))
  return known
    .filter((one) => weight(one) === heaviest)
    .map((one) => ({ ...one, versions: one.fixed.length ? one.fixed : one.first_unlisted }))
}

function listFixes(candidates: Candidate[]): StatedFix[] {
  // An advisory of the package may state as a fix what another source's range only ends in.
  const stated = new Set(candidates.flatMap(({ fixed }) => fixed))
  return listNearest(candidates).map(({ name, versions, listed }) => {
    const disputed = versions.filter((one) => listed.includes(one))
    return { name, versions, disputed, isStated: versions.every((one) => stated.has(one)) }
  })
}

/** The versions that are told as fixes, by the product or package that they are of. */
export const listFixVersions = (vuln: Omit<Decided, 'safe_upgrades'>) =>
  listNearest(rankCandidates(vuln))
    .slice(0, shownFixes)
    .flatMap(({ item, versions }) => versions.slice(0, shownVersions).map((version) => ({ ...item, version })))

function describeUpgrade({ via, vendor, name, first, to, because, still }: ToldUpgrade) {
  const label = via === 'product' ? productLabel(vendor, name) : `${vendor} ${name}`
  const reason = because.length ? ` because of ${because.map(nameOther).join(' and ')}` : ''
  const raised = to === first ? `${label} ${to}` : `${label} ${to} instead of ${first}${reason}`
  return still.length ? `${raised}; still named as affected by ${joinSome(still.map(nameOther), shownItems)}` : raised
}

const nameOther = ({ id, cveid }: OtherVuln) => cveid ?? `PH-${id}`

function nameVuln({ id, cveid, aliases, title, cwe_name }: Decided, lead: string | undefined) {
  const famous = famousNames(cveid)
  if (famous.length) return famous.join(', ')
  if (title) return title
  if (lead) return `${cwe_name || 'Vulnerability'} in ${lead}`
  return cveid ?? aliases[0] ?? `PH-${id}`
}

function judgeExploitation({ kev, is_in_the_wild, is_exploitable, exploit_count }: Decided): Exploitation {
  if (kev?.ransomware) return 'ransomware'
  if (kev || is_in_the_wild) return 'exploited'
  return is_exploitable || exploit_count > 0 ? 'public' : 'none'
}

// Distributions give others' software versions of their own, which fix nothing elsewhere.
const shippers = new Set(['debian', 'fedoraproject', 'redhat', 'canonical', 'suse', 'opensuse', 'oracle', 'amazon'])
const shippedTypes = new Set(['deb', 'rpm', 'apk', 'oci', 'docker', 'bitnami', 'chainguard', 'wolfi'])

type Item = { via: JudgedKind; vendor: string; name: string }
type Candidate = {
  item: Item
  name: string
  owner: string
  fixed: string[]
  first_unlisted: string[]
  /** Versions that any source lists as affected. */
  listed: string[]
  nearness: number
}

/** Affected items, the nearest first: those that the organization monitors, then those that the texts name, then those that others ship. */
function rankCandidates({ title, summary, affected, affected_packages }: Omit<Decided, 'safe_upgrades'>): Candidate[] {
  const text = `${title ?? ''} ${summary}`.toLowerCase()
  const isNamed = (name: string) => name.length > 2 && text.includes(name.toLowerCase().replaceAll('_', ' '))
  const packages = affected_packages.map((one) => {
    const { fixed, first_unlisted } = one
    const short = one.name.split(/[:/]/).at(-1) ?? one.name
    const nearness = weigh(one, isNamed(short), shippedTypes.has(one.type)) + Number(isNamed(one.name))
    const listed = one.versions ?? []
    const item = { via: 'package' as const, vendor: one.type, name: one.name }
    return { item, name: `${one.type} ${one.name}`, owner: short, fixed, first_unlisted, listed, nearness }
  })
  const products = affected.map((one) => ({
    item: { via: 'product' as const, vendor: one.vendor, name: one.product },
    name: productLabel(one.vendor, one.product),
    owner: one.vendor,
    fixed: one.fixed,
    first_unlisted: one.first_unlisted,
    listed: one.versions ?? [],
    nearness: weigh(one, isNamed(one.product), shippers.has(one.vendor)) + Number(isNamed(one.vendor)),
  }))
  const ranked = [...packages, ...products].toSorted((a, b) => b.nearness - a.nearness)
  return mergeByName(ranked)
}

const weigh = ({ monitored = false }: Fixing, isNamed: boolean, isShipped: boolean) =>
  Number(monitored) * 8 + Number(isNamed) * 4 - Number(isShipped) * 3

/** One candidate per name; the first source that names a version decides. */
function mergeByName(candidates: Candidate[]) {
  const groups = Map.groupBy(candidates, ({ name }) => name)
  return [...groups.values()].flatMap((same) => {
    const lead = same.find(({ fixed }) => fixed.length) ?? same.find((one) => one.first_unlisted.length) ?? same[0]
    return lead ? [{ ...lead, listed: same.flatMap(({ listed }) => listed) }] : []
  })
}

/** Pages of the maker come before those of others, and an advisory of the maker's even without a tag. */
function findLink(references: Decided['references'], owner = ''): Decision['link'] {
  const working = references.filter(({ url, tags }) => URL.canParse(url) && !tags.some((tag) => /broken/i.test(tag)))
  const isOwn = ({ url }: { url: string }) =>
    owner.length > 2 && hostname(url).includes(owner) && !sharedHosts.test(hostname(url))
  const tagged = (pattern: RegExp) => working.filter(({ tags }) => tags.some((tag) => pattern.test(tag)))
  const [patches, mitigations, advisories] = [tagged(/^patch/i), tagged(/^mitigation/i), tagged(/advisory/i)]
  const ownPage = working.find((one) => isOwn(one) && tellsOfSecurity.test(one.url))
  const found = [
    { kind: 'Patch' as const, page: patches.find(isOwn) ?? patches[0] },
    { kind: 'Mitigation' as const, page: mitigations.find(isOwn) ?? mitigations[0] },
    { kind: 'Advisory' as const, page: advisories.find(isOwn) ?? ownPage ?? advisories[0] },
  ].find(({ page }) => page)
  return found?.page ? { url: found.page.url, kind: found.kind } : null
}

export const exploitationWords: Record<Exploitation, string> = {
  ransomware: 'Exploited, in ransomware campaigns',
  exploited: 'Exploited',
  public: 'Exploit public',
  none: 'No exploit known',
}

/** Without a source that states a fix, the version is merely the first that is not listed as affected. */
export const unstatedFix = 'first not listed as affected'

const fixLabel = (fixes: StatedFix[]) =>
  fixes.every(({ isStated }) => isStated) ? 'Fixed in' : 'First not listed as affected'

export const fixVersions = ({ versions, disputed }: Pick<StatedFix, 'versions' | 'disputed'>) =>
  joinSome(
    versions.map((one) => (disputed.includes(one) ? `${one} (disputed)` : one)),
    shownVersions,
  )

const describeFixes = (fixes: StatedFix[]) =>
  someLines(
    fixes.map((fix) => `${fix.name} ${fixVersions(fix)}`),
    shownFixes,
  ).join('; ')

/** The decision as lines of a label and a text, for mails and pages without script. */
export function decisionLines(vuln: Decided, running?: Running): { label: string; text: string; url?: string }[] {
  const { exploitation, fixes, upgrades, due, link } = decide(vuln)
  const run = running && decideRunning(running)
  const unfixed = fixes.length && running ? tellUnfixed(running.runs, shownItems) : ''
  return [
    { label: 'Exploitation', text: exploitationWords[exploitation] },
    ...(run
      ? [
          {
            label: 'You run it',
            text: [runWords[run.answer], joinSome(run.items, shownItems)].filter(Boolean).join(': '),
          },
        ]
      : []),
    { label: fixLabel(fixes), text: unfixed + describeFixes(fixes) || 'No source names a fixed version' },
    ...upgrades.map((text) => ({ label: 'Upgrade to', text })),
    ...(due ? [{ label: due.label, text: [due.when, due.why, due.unsure].filter(Boolean).join('. ') }] : []),
    ...(link ? [{ label: link.kind, text: siteName(link.url), url: link.url }] : []),
  ]
}
