type Numbers = { new: number; updated: number; fixed: number; held: number }
type RowFacts = { kev: boolean; score: number | null; is_score_provisional: boolean }

export const openBands = ['critical', 'high', 'medium', 'low', 'unscored'] as const
export const bandLabels = {
  critical: 'Critical',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
  unscored: 'Not scored',
} as const

export const isQuiet = ({ new: added, updated, held, fixed }: Numbers) => added + updated + held + fixed === 0

const vulnerabilities = (count: number) => `${count} ${count === 1 ? 'vulnerability' : 'vulnerabilities'}`

export function describeNumbers(numbers: Numbers & { rows: RowFacts[] }) {
  const { new: added, updated, fixed, held, rows } = numbers
  if (isQuiet(numbers)) return 'All quiet: nothing of what you monitor changed.'
  const exploited = rows.filter(({ kev }) => kev).length
  const sentences = [
    `${vulnerabilities(added)} new to you, ${updated} changed${exploited ? `, ${exploited} of these known to be exploited (CISA KEV)` : ''}.`,
    ...(held
      ? [
          `${held} of these ${held === 1 ? 'was' : 'were'} held back, above the daily number of a channel or as it is switched off, and ${held === 1 ? 'is' : 'are'} told here first.`,
        ]
      : []),
    ...(fixed ? [`You set ${vulnerabilities(fixed)} to fixed.`] : []),
  ]
  return sentences.join(' ')
}

/** "3 new, 5 changed, worst 91". */
export function describeSubject(facts: Numbers & { rows: RowFacts[] }) {
  if (isQuiet(facts)) return 'all quiet'
  const worst = Math.max(-1, ...facts.rows.map(({ score }) => score ?? -1))
  const isRated = facts.rows.some(({ score, is_score_provisional }) => score === worst && !is_score_provisional)
  return [
    `${facts.new} new`,
    `${facts.updated} changed`,
    ...(worst < 0 ? [] : [`highest score ${worst}${isRated ? '' : ' (provisional)'}`]),
    ...(facts.rows.some(({ kev }) => kev) ? ['exploited among them'] : []),
  ].join(', ')
}

type Exploited = { kev: boolean; exploit_count: number; is_exploitable: boolean }

export const describeExploits = ({ kev, exploit_count, is_exploitable }: Exploited) =>
  [
    ...(kev ? ['Exploited (CISA KEV)'] : []),
    ...(is_exploitable ? [exploit_count ? `${exploit_count} known` : 'Known'] : []),
  ].join(', ') || 'None known'

/** In the order of the report. */
export function groupByProduct<Row extends { products: string[] }>(rows: Row[]) {
  const sections = new Map<string, Row[]>()
  for (const row of rows)
    for (const product of row.products) {
      const section = sections.get(product) ?? []
      section.push(row)
      sections.set(product, section)
    }
  return [...sections].map(([product, own]) => ({ product, rows: own }))
}
