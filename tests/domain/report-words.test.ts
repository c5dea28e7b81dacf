import { expect, test } from 'vitest'
import { describeNumbers, describeSubject } from '../../worker/domain/alerts/report-words'

const facts = (count: number) => ({
  new: count,
  updated: count,
  fixed: count,
  held: count,
  untold: count,
  parked: count,
  overdue: count,
  soon: count,
  kev: count,
  highest: null,
  held_pages: [1],
  pages: 1,
})

test.each([
  [0, 'All quiet: nothing of what you monitor changed.', 'all quiet'],
  [
    1,
    '1 vulnerability new to you, 1 changed, 1 of these known to be exploited (CISA KEV). Of these, 1 was held back, above the daily number of a channel: it stands in this report, for the first time. 1 of these waits for a channel that is switched off, as its receiver failed, until it works again. 1 vulnerability is due today or tomorrow, 1 overdue. You set 1 vulnerability to fixed.',
    '1 new, 1 changed, exploited among them, 1 due by tomorrow',
  ],
  [
    1_000_000,
    '1,000,000 vulnerabilities new to you, 1,000,000 changed, 1,000,000 of these known to be exploited (CISA KEV). Of these, 1,000,000 were held back, above the daily number of a channel: all of them stand in this report, for the first time. 1,000,000 of these wait for a channel that is switched off, as its receiver failed, until it works again. 1,000,000 vulnerabilities are due today or tomorrow, 1,000,000 overdue. You set 1,000,000 vulnerabilities to fixed.',
    '1,000,000 new, 1,000,000 changed, exploited among them, 1,000,000 due by tomorrow',
  ],
])('the sentences of a report are true of %i', (count, sentences, subject) => {
  expect([describeNumbers(facts(count)), describeSubject(facts(count))]).toEqual([sentences, subject])
})
