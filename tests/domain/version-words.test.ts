import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseVersionWords, type WordedRange } from '../../worker/domain/versions/version-words'
import { cpuMs } from '../support/growth'

test.each<[string, WordedRange[]]>([
  ['1.2.3', [{ is: '1.2.3' }]],
  ['v1.2.3', [{ is: '1.2.3' }]],
  ['Version 9.2.1.0', [{ is: '9.2.1.0' }]],
  ['12.2\\(25\\)SW10', [{ is: '12.2(25)SW10' }]],
  ['= 1.79.0', [{ is: '1.79.0' }]],
  ['< 2.1', [{ lt: '2.1' }]],
  ['<2.1', [{ lt: '2.1' }]],
  ['≤ 2.1', [{ le: '2.1' }]],
  ['>= 1.0, < 2.0', [{ ge: '1.0', lt: '2.0' }]],
  ['> 1.0 <= 2.0', [{ gt: '1.0', le: '2.0' }]],
  ['>= 3.2.0-beta.1, < 3.2.0-beta.3', [{ ge: '3.2.0-beta.1', lt: '3.2.0-beta.3' }]],
  ['6.0.0 <= version < 6.0.1', [{ ge: '6.0.0', lt: '6.0.1' }]],
  ['All versions < V4.1.4', [{ lt: 'V4.1.4' }]],
  ['All versions < V4.7 SP6 HF3', [{ lt: 'V4.7 SP6 HF3' }]],
  ['All versions >= V2.0 < V3.1', [{ ge: 'V2.0', lt: 'V3.1' }]],
  ['before 1.2.3', [{ lt: '1.2.3' }]],
  ['before version 88', [{ lt: '88' }]],
  ['< b3561', [{ lt: 'b3561' }]],
  ['before version JY0070', [{ lt: 'JY0070' }]],
  ['Versions prior to 1.3.11', [{ lt: '1.3.11' }]],
  ['firmware versions prior to 1.09', [{ lt: '1.09' }]],
  ['up to 1.4', [{ le: '1.4' }]],
  ['8.0.27 and prior', [{ le: '8.0.27' }]],
  ['Version 1.6.11.0 and earlier', [{ le: '1.6.11.0' }]],
  ['7.1.1-7051 and earlier versions', [{ le: '7.1.1-7051' }]],
  ['Ver.2.60 and earlier', [{ le: '2.60' }]],
  ['5.1.5 and later', [{ ge: '5.1.5' }]],
  ['1.0 through 1.4', [{ ge: '1.0', le: '1.4' }]],
  ['1.0.0 to 1.3.7 ', [{ ge: '1.0.0', le: '1.3.7' }]],
  ['12.1.1 - 12.1.3', [{ ge: '12.1.1', le: '12.1.3' }]],
  ['from 1.0 before 1.4', [{ ge: '1.0', lt: '1.4' }]],
  ['5.9, 6.0 and 6.1', [{ is: '5.9' }, { is: '6.0' }, { is: '6.1' }]],
  [
    '5.0.0.0 – v5.3.4.4, v5.4.0.0 – v5.6.0.20',
    [
      { ge: '5.0.0.0', le: '5.3.4.4' },
      { ge: '5.4.0.0', le: '5.6.0.20' },
    ],
  ],
  ['< 1.2 || >= 2.0, < 2.3', [{ lt: '1.2' }, { ge: '2.0', lt: '2.3' }]],
  ['*', [{}]],
  ['All Versions', [{}]],
  ['vers:all/*', [{}]],
  ['n/a', []],
  ['-', []],
  ['', []],
  ['Unspecified', []],
  ['see the reference URL', []],
  ['Java SE: 7u231, 8u221', [{ is: '7u231' }, { is: '8u221' }]],
  ['stable: < 3.3.2', [{ lt: '3.3.2' }]],
  ['ArubaOS 10.4.x.x: 10.4.0.3 and below', [{ le: '10.4.0.3' }]],
])('%j is read', (words, ranges) => expect(parseVersionWords(words)).toEqual(ranges))

test.each([
  ['Orchestrator 9.3.x', 'Orchestrator', [{ is: '9.3.x' }]],
  [
    'FortiOS 6.0.0 through 6.0.14, 6.2.0 through 6.2.10',
    'Fortinet FortiOS',
    [
      { ge: '6.0.0', le: '6.0.14' },
      { ge: '6.2.0', le: '6.2.10' },
    ],
  ],
])('the name of the product in front of %j is no part of it', (words, product, ranges) => {
  expect(parseVersionWords(words, product)).toEqual(ranges)
})

test.each([
  'The first 5 digits of serial No. "26061" and prior',
  'Snapdragon 8 Gen 1 Mobile Platform',
  'Prior to version 1.41.16, Prior to version 2.22.00',
  'before v2.3.0 and 2.2.2a',
  '8u131; Java SE Embedded: 8u131',
  'SMR Aug-2023 Release 1',
  'downloaded before February 3nd 2023',
  `${'1.0, '.repeat(100)}1.0`,
])('%j is not guessed at', (words) => expect(parseVersionWords(words)).toBeNull())

test('any text at all is read or refused', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string(), fc.constantFrom(' ', ',', '<', '>= ', '1.0', 'to', 'before', 'v', ' and ')), {
        maxLength: 12,
      }),
      (parts) => {
        const ranges = parseVersionWords(parts.join(''), parts[0])
        for (const range of ranges ?? []) for (const text of Object.values(range)) expect(text).toMatch(/\d/)
      },
    ),
    { numRuns: 2_000 },
  )
})

test('a long text is refused at once', () => {
  const words = ['versions '.repeat(22), '1 '.repeat(99), 'v.'.repeat(99), `${'1'.repeat(180)}!`, 'before '.repeat(28)]
  const times = Array.from({ length: 5 }, () => {
    const start = cpuMs()
    for (const text of words) parseVersionWords(text)
    return cpuMs() - start
  })
  expect(Math.min(...times)).toBeLessThan(50)
})
