import { judgeStatements } from '../domain/affected'
import type { Answer, Statement } from '../domain/affected'
import { findRelease } from '../domain/purl-release'
import { describeRange } from '../domain/range'
import { rangeRelease } from '../domain/range-verdict'
import type { Db } from '../db/open'
import { readStatements, targetKey } from './statements'
import type { GroupedStatement } from './statements'
import { isOfDistribution } from './targets'
import type { MatchTarget } from './targets'

export type Finding = {
  component_id: number
  vuln_id: number
  status: 'affected' | 'unknown'
  confidence: Answer['confidence']
  source: string | null
  range: string | null
  fixed_in: string | null
  first_unlisted: string | null
  is_disputed: boolean
}

export type Judged = { component_id: number; targets: MatchTarget[] }
/** `judged_count` vulnerabilities were compared with the version, `unjudged_count` could not be as there is none. */
type Verdicts = { is_known: boolean; judged_count: number; unjudged_count: number; findings: Finding[] }

type Verdict = Omit<Answer, 'by'>
/** The verdict of a vulnerability by the package, or else by the product, of a component. */
type ByVuln = Map<number, { package?: Verdict; product?: Verdict }>

type Open = { component_id: number; isBuild: boolean; isKnown: boolean; unjudged: Set<number>; byVuln: ByVuln }

/** A range of 1,000 names costs a few round trips. `only` names the vulnerabilities to ask about; without it, all. */
export async function judgeComponents(db: Db, org_id: number, components: Judged[], only?: number[]) {
  const open = new Map(components.map(({ component_id, targets }) => [component_id, newOpen(component_id, targets)]))
  for (const kind of ['package', 'product'] as const) {
    const wanted = components.flatMap(({ component_id, targets }) =>
      targets.filter((target) => target.kind === kind).map((target) => ({ component_id, target })),
    )
    const byName = Map.groupBy(wanted, ({ target }) => targetKey(target))
    const names = wanted.map(({ target }) => target)
    for await (const chunk of readStatements(db, org_id, { kind, names, only }))
      for (const [name, statements] of chunk)
        for (const { component_id, target } of byName.get(name) ?? [])
          judgeTarget(open.get(component_id), target, statements)
  }
  return new Map([...open].map(([id, one]) => [id, toVerdicts(one)]))
}

const newOpen = (component_id: number, targets: MatchTarget[]): Open => ({
  component_id,
  isBuild: targets.some(({ kind, first }) => kind === 'package' && isOfDistribution(first)),
  isKnown: false,
  unjudged: new Set(),
  byVuln: new Map(),
})

function judgeTarget(open: Open | undefined, target: MatchTarget, grouped: GroupedStatement[]) {
  if (!open) return
  open.isKnown = true
  if (target.version === null) {
    for (const { vuln_ids } of grouped) for (const id of vuln_ids) open.unjudged.add(id)
    return
  }
  const releases = target.purl && [
    ...new Set(grouped.flatMap(({ ranges }) => ranges.flatMap((range) => rangeRelease(range) ?? []))),
  ]
  const release = target.purl && releases ? findRelease(target.purl, releases) : undefined
  for (const [vuln_id, statements] of groupByVuln(grouped)) {
    const { by: _, ...verdict } = judgeStatements(target.version, statements, release, target.attributes ?? undefined)
    const known = open.byVuln.get(vuln_id) ?? {}
    const before = known[target.kind]
    // Two names of one kind, such as a package and its source: the worse one counts.
    if (!before || severity(verdict) < severity(before)) known[target.kind] = verdict
    open.byVuln.set(vuln_id, known)
  }
}

function groupByVuln(grouped: GroupedStatement[]) {
  const byVuln = new Map<number, Statement[]>()
  for (const { source, ranges, vuln_ids } of grouped)
    for (const id of vuln_ids) {
      const known = byVuln.get(id)
      if (known) known.push({ source, ranges })
      else byVuln.set(id, [{ source, ranges }])
    }
  return byVuln
}

const severity = ({ status }: Verdict) => ['affected', 'unknown', 'not_affected'].indexOf(status)

function toVerdicts({ component_id, isBuild, isKnown, unjudged, byVuln }: Open): Verdicts {
  const findings = [...byVuln].flatMap(([vuln_id, verdicts]): Finding[] => {
    const { status, range, ...verdict } = decide(verdicts, isBuild)
    if (status === 'not_affected') return []
    return [{ component_id, vuln_id, status, range: range && describeRange(range).slice(0, 300), ...verdict }]
  })
  return { is_known: isKnown, judged_count: byVuln.size, unjudged_count: unjudged.size, findings }
}

/**
 * What is said of the package decides where it decides anything: a distribution mends a package whose upstream version
 * stays the same, and only its own statement tells. What is said of the product alone is then likely, not confirmed.
 */
function decide({ package: byPackage, product }: { package?: Verdict; product?: Verdict }, isBuild: boolean): Verdict {
  if (byPackage && (byPackage.status !== 'unknown' || !product)) return byPackage
  if (!product) throw new Error('A vulnerability without a verdict')
  return isBuild && product.confidence === 'confirmed' ? { ...product, confidence: 'likely' } : product
}
