import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { remedyOfBod } from '../../worker/domain/decisions/due'
import { realFeeds } from '../support/real-data'

test('the sixteen rows are those of the published decision table', () => {
  const csv = readFileSync(new URL('bod-26-04/csv/cisa/cisa_bod_26_04_1_0_0.csv', realFeeds), 'utf8')
  const answers = new Map([
    ['3 days & forensic investigation', { days: 3, forensics: true }],
    ['3 days', { days: 3, forensics: false }],
    ['14 days', { days: 14, forensics: false }],
    ['60 days', { days: 60, forensics: false }],
    ['fix on system upgrade', { days: null, forensics: false }],
  ])
  const lines = csv.trim().split(/\r?\n/).slice(1)
  expect(lines).toHaveLength(16)
  for (const line of lines) {
    const [, kev, exposed, automatable, impact, answer = ''] = line.split(',')
    const remedy = remedyOfBod({
      in_kev: kev === 'yes',
      publicly_exposed: exposed === 'yes',
      automatable: automatable === 'yes',
      technical_impact: impact === 'total' ? 'total' : 'partial',
    })
    expect([line, remedy]).toEqual([line, answers.get(answer)])
  }
})
