import { severities, type VulnSeverity } from '../scores/severity'

/** cisa_kev: the day in KEV alone. bod_26_04: CISA's table. own: the organization's table. none: nothing is due. */
export const duePolicies = ['cisa_kev', 'bod_26_04', 'own', 'none'] as const
export type DuePolicy = (typeof duePolicies)[number]
export const firstDuePolicy: DuePolicy = 'cisa_kev'

/** Null where nobody said. */
type DuePoints = {
  in_kev: boolean
  publicly_exposed: boolean | null
  automatable: boolean | null
  technical_impact: 'partial' | 'total' | null
}
/** The points that an answer takes at their worse value, because nobody knows them and the other value is a longer time. */
export const assumablePoints = ['publicly_exposed', 'automatable', 'technical_impact'] as const
export type AssumablePoint = (typeof assumablePoints)[number]

/** `days` is null for the next upgrade, or for no deadline in an organization's own table. */
export type Remedy = { days: number | null; forensics: boolean }
type DueDecision = Remedy & { assumed: AssumablePoint[] }

type KnownPoints = { [Point in keyof DuePoints]: NonNullable<DuePoints[Point]> }

/**
 * The days that CISA's BOD 26-04 gives to fix a vulnerability on an asset (null: the next scheduled upgrade or rebuild), and whether
 * the asset must be looked at for traces of an attack. Source: BOD 26-04, appendix A, table 1, as in CERT/CC's SSVC decision table
 * cisa:BOD2604:1.0.0 (16 rows).
 */
export function remedyOfBod({ in_kev, publicly_exposed, automatable, technical_impact }: KnownPoints): Remedy {
  const isTotal = technical_impact === 'total'
  const raised = Number(publicly_exposed) + Number(automatable)
  if (in_kev && isTotal) return raised ? { days: 3, forensics: true } : { days: 14, forensics: false }
  if (in_kev) return { days: raised === 2 ? 3 : 14, forensics: false }
  if (!raised) return { days: null, forensics: false }
  if (isTotal && publicly_exposed) return { days: automatable ? 3 : 14, forensics: false }
  return { days: raised === 2 ? 14 : 60, forensics: false }
}

/**
 * The same with unknown points: the shortest time that they may mean, and which of them shortened it. Source: CISA's table knows no
 * "unknown", which never looks like safe here.
 */
export const decideByBod = (points: DuePoints) => decideWorst(points, remedyOfBod, assumablePoints)

/** Days by severity, where it is publicly exposed and where it is not; null is no deadline. */
export type DueTable = Record<VulnSeverity, { exposed: number | null; not_exposed: number | null }>
export const maxDueDays = 3_650

/** First table of an organization. */
export const firstDueTable: DueTable = {
  critical: { exposed: 7, not_exposed: 14 },
  high: { exposed: 14, not_exposed: 30 },
  medium: { exposed: 60, not_exposed: 90 },
  low: { exposed: 180, not_exposed: null },
  unscored: { exposed: 30, not_exposed: 90 },
}

/** The days of an organization's own table; whether it is exposed is the only point that it asks for. */
export function decideByTable(
  table: DueTable,
  severity: VulnSeverity,
  { publicly_exposed }: Pick<DuePoints, 'publicly_exposed'>,
): DueDecision {
  const points = { in_kev: false, publicly_exposed, automatable: false, technical_impact: 'partial' } as const
  const remedy = (known: KnownPoints) => ({
    days: table[severity][known.publicly_exposed ? 'exposed' : 'not_exposed'],
    forensics: false,
  })
  return decideWorst(points, remedy, ['publicly_exposed'])
}

function decideWorst(
  points: DuePoints,
  remedy: (known: KnownPoints) => Remedy,
  asked: readonly AssumablePoint[],
): DueDecision {
  const candidates = spellOut(points)
  const [first = safest] = candidates.map(remedy).toSorted(byUrgency)
  const shortens = (point: AssumablePoint) =>
    candidates.some((known) => byUrgency(remedy({ ...known, [point]: better[point] }), remedy(known)) > 0)
  return { ...first, assumed: asked.filter((point) => points[point] === null && shortens(point)) }
}

const safest: Remedy = { days: null, forensics: false }
const better = { publicly_exposed: false, automatable: false, technical_impact: 'partial' } as const

const spellOut = ({ in_kev, publicly_exposed, automatable, technical_impact }: DuePoints): KnownPoints[] =>
  listPoints(
    [in_kev],
    publicly_exposed === null ? [true, false] : [publicly_exposed],
    automatable === null ? [true, false] : [automatable],
    technical_impact === null ? ['total', 'partial'] : [technical_impact],
  )

/** All of these values with each other; the last one changes first. */
const listPoints = <Known, Exposed, Automatable, Impact>(
  kevs: readonly Known[],
  exposures: readonly Exposed[],
  automatables: readonly Automatable[],
  impacts: readonly Impact[],
) =>
  kevs.flatMap((in_kev) =>
    exposures.flatMap((publicly_exposed) =>
      automatables.flatMap((automatable) =>
        impacts.map((technical_impact) => ({ in_kev, publicly_exposed, automatable, technical_impact })),
      ),
    ),
  )

const byUrgency = (a: Remedy, b: Remedy) =>
  (a.days ?? Infinity) === (b.days ?? Infinity)
    ? Number(b.forensics) - Number(a.forensics)
    : (a.days ?? Infinity) - (b.days ?? Infinity)

/** Not exposed, not known, exposed: the places of `publicly_exposed` in the lists below and in the database. */
export const exposureRanks = [false, null, true] as const

/** The days of `decideByBod` for all points: KEV, then exposure, then automatable, then impact, the last one the fastest. */
export const listBodDays = () =>
  listPoints([false, true], exposureRanks, exposureRanks, ['partial', null, 'total'] as const).map(
    (points) => decideByBod(points).days,
  )

/** The days of a table by severity and then by `exposureRanks`. */
export const listTableDays = (table: DueTable) =>
  severities.flatMap((severity) =>
    exposureRanks.map((publicly_exposed) => decideByTable(table, severity, { publicly_exposed }).days),
  )

/** The table of which these are the days. */
export function makeDueTable(days: readonly (number | null)[]): DueTable {
  const place = (publicly_exposed: boolean) => exposureRanks.indexOf(publicly_exposed)
  const row = (at: number) => ({
    exposed: days[at * exposureRanks.length + place(true)] ?? null,
    not_exposed: days[at * exposureRanks.length + place(false)] ?? null,
  })
  // The type of Object.fromEntries does not keep the keys.
  return Object.fromEntries(severities.map((severity, at) => [severity, row(at)])) as DueTable
}

/** "KEV, publicly exposed, automatable, total: 3 days with forensic triage". */
export function tellBod(points: DuePoints, decision: DueDecision) {
  const { in_kev, publicly_exposed, automatable, technical_impact } = points
  const words = [
    in_kev ? 'KEV' : 'not in KEV',
    tellPoint(publicly_exposed, ['publicly exposed', 'not publicly exposed', 'exposure not known']),
    tellPoint(automatable, ['automatable', 'not automatable', 'automatable not known']),
    technical_impact ?? 'impact not known',
  ]
  return `${words.join(', ')}: ${tellRemedy(decision)}`
}

const tellPoint = (point: boolean | null, [yes, no, unknown]: [string, string, string]) =>
  point === null ? unknown : point ? yes : no

export function tellRemedy({ days, forensics }: Remedy) {
  if (days === null) return 'at the next upgrade'
  return `${days} ${days === 1 ? 'day' : 'days'}${forensics ? ' with forensic triage' : ''}`
}

const pointWords: Record<AssumablePoint, string> = {
  publicly_exposed: 'whether it is publicly exposed',
  automatable: 'whether attacks can be automated',
  technical_impact: 'whether the impact is total',
}

/** Empty where the answer is sure. */
export function tellAssumed(assumed: AssumablePoint[]) {
  if (!assumed.length) return ''
  const [last, ...others] = assumed.map((point) => pointWords[point]).toReversed()
  return `Not sure: nobody said ${others.length ? `${others.toReversed().join(', ')} and ${last}` : last}. This is the shortest time that it may mean.`
}
