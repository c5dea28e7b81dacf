import { expect, test } from 'vitest'
import { isAdvisoryId } from '../../worker/domain/names/cve'
import { findNearestWord } from '../../worker/domain/query/nearest'
import { parseQuery } from '../../worker/domain/query/parse'
import { findSpokenFilters } from '../../worker/domain/query/spoken-filters'

test.each([
  [
    'fortinet critical 2024',
    [
      ['critical', 'severity:critical', 'fortinet 2024'],
      ['2024', 'published:2024', 'fortinet critical'],
    ],
  ],
  ['Exchange In The Wild', [['In The Wild', 'wild', 'Exchange']]],
  ['unpatched', [['unpatched', 'fixable:false', '']]],
  [
    'openssl affects me no fix',
    [
      ['affects me', 'affects:yes', 'openssl no fix'],
      ['no fix', 'fixable:false', 'openssl affects me'],
    ],
  ],
  [
    'kev ransomware overdue poc today',
    [
      ['kev', 'kev', 'ransomware overdue poc today'],
      ['ransomware', 'ransomware', 'kev overdue poc today'],
      ['overdue', 'overdue', 'kev ransomware poc today'],
      ['poc', 'exploitable', 'kev ransomware overdue today'],
    ],
  ],
  ['apache 3024 no', []],
  ['', []],
])('the words of %j name filters', (search, filters) => {
  const found = findSpokenFilters(search)
  expect(found.map(({ words, q, rest }) => [words, q, rest])).toEqual(filters)
  for (const { q } of found) expect(parseQuery(q).problem).toBe(undefined)
})

test.each([
  ['fortinte', 'fortinet'],
  ['Micorsoft', 'microsoft'],
  ['apahce', 'apache'],
  ['kubernets', 'kubernetes'],
  ['linux', 'linux'],
  ['zzzzzz', undefined],
  ['li', undefined],
  ['x'.repeat(10_000), undefined],
])('the nearest name of %j is %s', (word, name) =>
  expect(findNearestWord(word, ['microsoft', 'fortinet', 'linus', 'linux', 'apache', 'kubernetes'], 1)).toBe(name),
)

test.each([
  ...'GHSA-jfh8-c2jp-5v3q RHSA-2024:1234 rhsa-2024:1234 KB5034441 MS17-010 VMSA-2021-0010'.split(' '),
  ...'cisco-sa-20180129-asa1 FG-IR-22-398 ZDI-24-001 SSA-589891 GO-2022-0470'.split(' '),
])('%s is the id of an advisory', (id) => expect(isAdvisoryId(id)).toBe(true))

test.each([
  'struts-2',
  'KB5',
  'log4j',
  'GHSA',
  'GHSA-',
  'MS17-0100',
  'PAN-OS 10',
  'go-jose',
  'http://x/RHSA-2024:1234',
])('%j is no id of an advisory', (text) => expect(isAdvisoryId(text)).toBe(false))
