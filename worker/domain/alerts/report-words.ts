/** `overdue` and `soon`, due today or tomorrow, are missing in reports from before they were counted. */
type Numbers = { new: number; updated: number; fixed: number; held: number; overdue?: number; soon?: number }
type Changed = Numbers & { kev: number; highest: { score: number; is_score_provisional: boolean } | null }
type Held = { untold: number; parked: number; held_pages: number[]; pages: number }

export const isQuiet = ({ new: added, updated, held, fixed, soon = 0 }: Numbers) =>
  added + updated + held + fixed + soon === 0

/** "1,100", in mails as on screens. */
export const grouped = (count: number) => count.toLocaleString('en')
const vulnerabilities = (count: number) => `${grouped(count)} ${count === 1 ? 'vulnerability' : 'vulnerabilities'}`

export function describeNumbers(numbers: Changed & Held) {
  const { new: added, updated, fixed, held, parked, kev } = numbers
  const due = describeDueNumbers(numbers)
  if (isQuiet(numbers)) return ['All quiet: nothing of what you monitor changed.', ...due].join(' ')
  const sentences = [
    `${vulnerabilities(added)} new to you, ${grouped(updated)} changed${kev ? `, ${grouped(kev)} of these known to be exploited (CISA KEV)` : ''}.`,
    ...(held ? [describeHeld(numbers)] : []),
    ...(parked
      ? [
          `${grouped(parked)} of these ${parked === 1 ? 'waits' : 'wait'} for a channel that is switched off, as its receiver failed, until it works again.`,
        ]
      : []),
    ...due,
    ...(fixed ? [`You set ${vulnerabilities(fixed)} to fixed.`] : []),
  ]
  return sentences.join(' ')
}

function describeDueNumbers({ overdue = 0, soon = 0 }: Numbers) {
  const parts = [
    ...(soon ? [`${vulnerabilities(soon)} ${soon === 1 ? 'is' : 'are'} due today or tomorrow`] : []),
    ...(overdue ? [`${soon ? grouped(overdue) : vulnerabilities(overdue)} overdue`] : []),
  ]
  return parts.length ? [`${parts.join(', ')}.`] : []
}

/** Says how many, where they stand, and of how many nobody was told before. */
function describeHeld({ held, untold, held_pages, pages }: Numbers & Held) {
  const were = (count: number) => `${grouped(count)} ${count === 1 ? 'was' : 'were'}`
  const where = pages === 1 ? 'in this report' : `on ${describePages(held_pages)} of this report`
  const first =
    untold === 0 ? '' : untold === held ? ', for the first time' : `, ${grouped(untold)} of them for the first time`
  return `Of these, ${were(held)} held back, above the daily number of a channel: ${held === 1 ? 'it stands' : 'all of them stand'} ${where}${first}.`
}

/** "page 2", "pages 1 to 6", "pages 1, 3 and 4". */
function describePages(pages: number[]) {
  const [first = 1, last = first] = [pages[0], pages.at(-1)]
  if (pages.length < 2) return `page ${first}`
  if (last - first === pages.length - 1) return `pages ${first} to ${last}`
  return `pages ${pages.slice(0, -1).join(', ')} and ${last}`
}

/** "3 new, 5 changed, highest score 91". */
export function describeSubject(facts: Changed) {
  if (isQuiet(facts)) return 'all quiet'
  const { highest, kev } = facts
  return [
    `${grouped(facts.new)} new`,
    `${grouped(facts.updated)} changed`,
    ...(highest ? [`highest score ${highest.score}${highest.is_score_provisional ? ' (provisional)' : ''}`] : []),
    ...(kev ? ['exploited among them'] : []),
    ...(facts.soon ? [`${grouped(facts.soon)} due by tomorrow`] : []),
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

export const supportTitle = 'No fixes any more, or not for long'

/** The releases that a report names, and how many more there are. */
export const listSupportEnds = ({ support_ends, more_ends }: { support_ends: string[]; more_ends: number }) => [
  ...support_ends,
  ...(more_ends ? [`And ${more_ends} ${more_ends === 1 ? 'release' : 'releases'} more.`] : []),
]
