import type { inventoryFindings } from '../schema/inventories'
import type { Judgement } from '../domain/versions/compiled'
import { findRelease } from '../domain/names/purl-release'
import { describeRange } from '../domain/versions/range'
import type { Db } from '../db/open'
import { breathe } from '../db/readers'
import { compileStatements, type CompiledName } from './compile'
import { findItems, readStatements, targetKey, type AskedPair, type JudgedItem } from './statements'
import { isOfDistribution, type Judged, type MatchTarget } from './targets'

export type Finding = Omit<typeof inventoryFindings.$inferSelect, 'org_id' | 'inventory_id' | 'found_at' | 'status'> & {
  status: 'affected' | 'unknown'
}
export const findingKey = ({ component_id, vuln_id }: Pick<Finding, 'component_id' | 'vuln_id'>) =>
  `${component_id} ${vuln_id}`

/** `judged_count` vulnerabilities were compared with the version, `unjudged_count` could not be as there is none. */
export type Verdicts = { is_matched: boolean; judged_count: number; unjudged_count: number; findings: Finding[] }

/** The verdict of a vulnerability by the package, or else by the product, of a component. */
type ByVuln = Map<number, { package?: Judgement; product?: Judgement }>

/** `safe_count`: vulnerabilities known not to affect the only name of a component. */
type Open = {
  component_id: number
  isBuild: boolean
  isAlone: boolean
  isKnown: boolean
  safe_count: number
  unjudged: Set<number>
  byVuln: ByVuln
}

type How = {
  /** The vulnerabilities to ask about, by component; without it, all. */
  only?: Map<number, number[]>
  /** Those of all names that are known, where they were read before. */
  items?: KnownItems
  /** Names that a step compiled, for its next turn. */
  kept?: KeptNames
  /** Takes what could not be judged. */
  faults?: string[]
}
/** By `targetKey`. */
export type KnownItems = Record<MatchTarget['kind'], Map<string, JudgedItem>>
/** Of one organization, which alone sees its private records. */
export type KeptNames = { org_id: number; names: Map<string, CompiledName> }

/** A comparison takes as long as reading so many letters. */
const lettersPerComparison = 40

/** A range of 1,000 names costs a few round trips. */
export async function judgeComponents(
  db: Db,
  org_id: number,
  components: Judged[],
  { only, items: read, kept, faults }: How = {},
) {
  const open = new Map(components.map(({ component_id, targets }) => [component_id, newOpen(component_id, targets)]))
  for (const kind of ['package', 'product'] as const) {
    const wanted = components.flatMap(({ component_id, targets }) =>
      targets.filter((target) => target.kind === kind).map((target) => ({ component_id, target })),
    )
    const byName = Map.groupBy(wanted, ({ target }) => targetKey(target))
    const judgeName = async (name: string, compiled: CompiledName) => {
      for (const { component_id, target } of byName.get(name) ?? []) {
        judgeTarget(open.get(component_id), target, compiled)
        await breathe(compiled.vuln_ids.size * lettersPerComparison)
      }
    }
    const known = kept?.org_id === org_id && !only ? kept.names : new Map<string, CompiledName>()
    for (const name of byName.keys()) {
      const compiled = known.get(`${kind} ${name}`)
      if (compiled) await judgeName(name, compiled)
    }
    const names = wanted.flatMap(({ target }) => (known.has(`${kind} ${targetKey(target)}`) ? [] : target))
    const items = read
      ? [...new Set(names.map(targetKey))].flatMap((name) => read[kind].get(name) ?? [])
      : await findItems(db, kind, names)
    const pairs = only && listAsked(items, byName, only)
    for await (const chunk of readStatements(db, org_id, { kind, items, only: pairs }))
      for (const [name, grouped] of chunk) {
        const compiled = compileStatements(grouped, { name: `${kind} ${name.replace('\n', ' ')}`, faults })
        await judgeName(name, compiled)
        if (kept && compiled.vuln_ids.size > largeName) keepName(kept, { org_id, name: `${kind} ${name}`, compiled })
      }
  }
  return new Map([...open].map(([id, openComponent]) => [id, toVerdicts(openComponent)]))
}

/** Each item with the vulnerabilities that its components are asked about: of a thousand each, all with all would be a million. */
const listAsked = (items: JudgedItem[], byName: Map<string, { component_id: number }[]>, only: Map<number, number[]>) =>
  items.flatMap((item) =>
    (byName.get(targetKey(item)) ?? []).flatMap(({ component_id }) =>
      (only.get(component_id) ?? []).map((vuln_id): AskedPair => [vuln_id, item.id]),
    ),
  )

/** Reading a smaller one costs little. One large name is kept: those of the kernel take several megabytes. */
const largeName = 1_000

function keepName(
  kept: KeptNames,
  { org_id, name, compiled }: { org_id: number; name: string; compiled: CompiledName },
) {
  kept.org_id = org_id
  kept.names = new Map([[name, compiled]])
}

const newOpen = (component_id: number, targets: MatchTarget[]): Open => ({
  component_id,
  isBuild: targets.some(({ kind, first }) => kind === 'package' && isOfDistribution(first)),
  isAlone: targets.length === 1,
  isKnown: false,
  safe_count: 0,
  unjudged: new Set(),
  byVuln: new Map(),
})

function judgeTarget(open: Open | undefined, target: MatchTarget, { judge, vuln_ids, releases }: CompiledName) {
  if (!open) return
  open.isKnown = true
  const { version, purl, kind, attributes } = target
  if (version === null) {
    for (const id of vuln_ids) open.unjudged.add(id)
    return
  }
  const on = purl ? findRelease(purl, releases) : undefined
  for (const [said, verdict] of judge({ version, on, kind: attributes ?? undefined })) {
    if (open.isAlone && verdict.status === 'not_affected') {
      open.safe_count += said.vuln_ids.length
      continue
    }
    for (const vuln_id of said.vuln_ids) {
      const known = open.byVuln.get(vuln_id) ?? {}
      const before = known[kind]
      // Two names of one kind, such as a package and its source: the worse one counts.
      if (!before || severity(verdict) < severity(before)) known[kind] = verdict
      open.byVuln.set(vuln_id, known)
    }
  }
}

const severity = ({ status }: Judgement) => ['affected', 'unknown', 'not_affected'].indexOf(status)

function toVerdicts({ component_id, isBuild, isKnown, safe_count, unjudged, byVuln }: Open): Verdicts {
  const findings = [...byVuln].flatMap(([vuln_id, verdicts]): Finding[] => {
    const { status, range, ...verdict } = decide(verdicts, isBuild)
    if (status === 'not_affected') return []
    return [{ component_id, vuln_id, status, range: range && describeRange(range).slice(0, 300), ...verdict }]
  })
  return { is_matched: isKnown, judged_count: safe_count + byVuln.size, unjudged_count: unjudged.size, findings }
}

/**
 * The statement on the package decides where it decides anything: a distribution mends a package whose upstream version
 * stays the same, and only its own statement tells. A statement on the product alone is then likely, not confirmed.
 */
function decide(
  { package: byPackage, product }: { package?: Judgement; product?: Judgement },
  isBuild: boolean,
): Judgement {
  if (byPackage && (byPackage.status !== 'unknown' || !product)) return byPackage
  if (!product) throw new Error('A vulnerability without a verdict')
  return isBuild && product.confidence === 'confirmed' ? { ...product, confidence: 'likely' } : product
}
