import { expect, test } from 'vitest'
import {
  decideByBod,
  decideByTable,
  exposureRanks,
  firstDueTable,
  listBodDays,
  listTableDays,
  remedyOfBod,
  tellAssumed,
  tellBod,
} from '../../worker/domain/decisions/due'
import {
  describeCraEvent,
  findCraEvent,
  numberCraEvent,
  findDueDay,
  numberDueDay,
} from '../../worker/domain/alerts/news-numbers'
import { craStages, findNextStage, findStageDue, listCraEvents, type CraStage } from '../../worker/domain/decisions/cra'
import { severities } from '../../worker/domain/scores/severity'

const [yes, no] = [true, false]
/** In KEV, publicly exposed, automatable, impact: as in table 1 of the directive. */
const table = [
  [yes, yes, yes, 'total', 3, true],
  [yes, yes, yes, 'partial', 3, false],
  [yes, yes, no, 'total', 3, true],
  [yes, yes, no, 'partial', 14, false],
  [no, yes, yes, 'total', 3, false],
  [no, yes, yes, 'partial', 14, false],
  [no, yes, no, 'total', 14, false],
  [no, yes, no, 'partial', 60, false],
  [yes, no, yes, 'total', 3, true],
  [yes, no, yes, 'partial', 14, false],
  [yes, no, no, 'total', 14, false],
  [yes, no, no, 'partial', 14, false],
  [no, no, yes, 'total', 60, false],
  [no, no, yes, 'partial', 60, false],
  [no, no, no, 'total', null, false],
  [no, no, no, 'partial', null, false],
] as const

test.each(table)(
  'KEV %s, exposed %s, automatable %s, %s: %s days, forensics %s',
  (in_kev, publicly_exposed, automatable, technical_impact, days, forensics) => {
    const points = { in_kev, publicly_exposed, automatable, technical_impact }
    expect(remedyOfBod(points)).toEqual({ days, forensics })
    expect(decideByBod(points)).toEqual({ days, forensics, assumed: [] })
  },
)

test('a point that nobody knows is taken at its worse value, and told where that shortens the time', () => {
  const decide = (
    in_kev: boolean,
    publicly_exposed: boolean | null,
    automatable: boolean | null,
    technical_impact: 'partial' | 'total' | null,
  ) => decideByBod({ in_kev, publicly_exposed, automatable, technical_impact })
  expect(decide(true, null, false, 'total')).toEqual({ days: 3, forensics: true, assumed: ['publicly_exposed'] })
  expect(decide(true, null, true, 'total')).toEqual({ days: 3, forensics: true, assumed: [] })
  expect(decide(true, null, false, 'partial')).toEqual({ days: 14, forensics: false, assumed: [] })
  expect(decide(false, false, null, null)).toEqual({ days: 60, forensics: false, assumed: ['automatable'] })
  expect(decide(false, null, null, null)).toEqual({
    days: 3,
    forensics: false,
    assumed: ['publicly_exposed', 'automatable', 'technical_impact'],
  })
})

test('an own table asks for the severity and the exposure alone; no deadline is later than any day', () => {
  const decide = (publicly_exposed: boolean | null) => decideByTable(firstDueTable, 'low', { publicly_exposed })
  expect(decide(true)).toEqual({ days: 180, forensics: false, assumed: [] })
  expect(decide(false)).toEqual({ days: null, forensics: false, assumed: [] })
  expect(decide(null)).toEqual({ days: 180, forensics: false, assumed: ['publicly_exposed'] })
  const same = { ...firstDueTable, high: { exposed: 9, not_exposed: 9 } }
  expect(decideByTable(same, 'high', { publicly_exposed: null }).assumed).toEqual([])
})

test('the lists for the database hold each combination once, in the order of their places', () => {
  const days = listBodDays()
  expect(days).toHaveLength(2 * 3 * 3 * 3)
  const at = (kev: number, exposed: number, automatable: number, impact: number) =>
    days[((kev * 3 + exposed) * 3 + automatable) * 3 + impact]
  for (const [in_kev, exposed, automatable, impact, expected] of table)
    expect(at(Number(in_kev), exposed ? 2 : 0, automatable ? 2 : 0, impact === 'total' ? 2 : 0)).toBe(expected)
  expect(at(1, 1, 0, 2)).toBe(3)
  expect(listTableDays(firstDueTable)).toHaveLength(severities.length * exposureRanks.length)
  expect(listTableDays(firstDueTable).slice(0, 3)).toEqual([14, 7, 7])
})

test('the words name each point and the time', () => {
  const points = { in_kev: true, publicly_exposed: true, automatable: true, technical_impact: 'total' } as const
  expect(tellBod(points, decideByBod(points))).toBe(
    'KEV, publicly exposed, automatable, total: 3 days with forensic triage',
  )
  const unknown = { in_kev: false, publicly_exposed: null, automatable: null, technical_impact: null }
  const decision = decideByBod(unknown)
  expect(tellBod(unknown, decision)).toBe(
    'not in KEV, exposure not known, automatable not known, impact not known: 3 days',
  )
  expect(tellAssumed(decision.assumed)).toMatch(/^Not sure: nobody said whether it is publicly exposed, .* and whether/)
  expect(tellAssumed([])).toBe('')
})

test.each<[CraStage, string | null, string | null]>([
  ['early_warning', null, '2026-11-27T08:30:15Z'],
  ['notification', '2026-11-28T00:00:00Z', '2026-11-29T08:30:15Z'],
  ['final_report', null, null],
  ['final_report', '2026-11-28T00:00:00Z', '2026-12-12T00:00:00Z'],
  // A fix from before counts from when the organization knew.
  ['final_report', '2020-01-01T00:00:00Z', '2026-12-10T08:30:15Z'],
])('the %s of the CRA with a fix at %s is due at %s', (stage, fix_at, due) => {
  expect(findStageDue(stage, { aware_at: '2026-11-26T08:30:15Z', fix_at })).toBe(due)
})

test('alerts of a CRA clock have numbers of their own, which no due day has, and end with its reports', () => {
  const at = '2026-11-26T08:30:00Z'
  const times = { started_at: at, aware_at: at, fix_at: at }
  const events = listCraEvents(times, [])
  expect(events.map((told) => (told.event === 'started' ? 'started' : `${told.stage} ${told.event}`))).toHaveLength(7)
  const numbers = events.map(numberCraEvent)
  expect(new Set(numbers).size).toBe(7)
  expect(numbers.map(findCraEvent)).toEqual(events)
  expect(numbers.map(findDueDay)).toEqual(numbers.map(() => null))
  expect(findCraEvent(numberDueDay('2199-12-31', 'overdue'))).toBe(null)
  expect(events.filter((told) => told.event === 'soon').map(describeCraEvent)).toEqual([
    'Early warning (CRA) due by 2026-11-27 08:30 UTC',
    'Notification (CRA) due by 2026-11-29 08:30 UTC',
    'Final report (CRA) due by 2026-12-10 08:30 UTC',
  ])
  expect(findNextStage(times, ['early_warning'])).toEqual({ stage: 'notification', due: '2026-11-29T08:30:00Z' })
  expect(listCraEvents(times, ['early_warning', 'notification'])).toHaveLength(3)
  expect([['not_needed' as const], [...craStages]].map((marks) => listCraEvents(times, marks))).toEqual([[], []])
})
