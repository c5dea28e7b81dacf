import fc from 'fast-check'
import { expect, test } from 'vitest'
import { completeQuery } from '../../worker/domain/query/complete'
import { newGroup, type Query } from '../../worker/domain/query/ast'
import { getDefinition, fieldNames, operatorsByKind } from '../../worker/domain/query/fields'
import { parseQuery } from '../../worker/domain/query/parse'
import { printQuery } from '../../worker/domain/query/print'

const read = (text: string) => {
  const { query, problem } = parseQuery(text)
  return problem ? problem.message : printQuery(query)
}

// A query, and how it is written back: every name, sign and precedence in one form.
const readable: [string, string][] = [
  ['', ''],
  ['   ', ''],
  ['kev', 'kev'],
  ['KEV', 'kev'],
  ['is_in_the_wild', 'wild'],
  ['kev:false', 'kev:false'],
  ['kev = TRUE', 'kev'],
  ['cvss3>=9', 'cvss3>=9'],
  ['cvss3 >= 9.0', 'cvss3>=9'],
  ['epss>1e-3', 'epss>0.001'],
  ['cvss3:9', 'cvss3=9'],
  ['vendor:apache', 'vendor:apache'],
  ['vendor_name=apache', 'vendor:apache'],
  ['vendor:"Apache Software"', 'vendor:"Apache Software"'],
  ['vendor~apa', 'vendor~apa'],
  ['summary:overflow', 'summary:overflow'],
  ['summary="A flaw."', 'summary="A flaw."'],
  ['summary~~SQL', 'summary~~SQL'],
  ['cve:cve-2021-44228', 'cveid:CVE-2021-44228'],
  ['cwe:79', 'cwe:CWE-79'],
  ['advisory:RHSA-2024:1234 OR bulletin:MS17-010', 'advisory:RHSA-2024:1234 OR advisory:MS17-010'],
  ['cwe:NVD-CWE-noinfo', 'cwe:NVD-CWE-noinfo'],
  ['cpe:cpe:2.3:a:openssl:openssl:1.0.1f', 'cpe:cpe:2.3:a:openssl:openssl:1.0.1f'],
  ['package:npm:@angular/core', 'package:npm:@angular/core'],
  ['cvss3_vector:AV:N/AC:L', 'cvss3_vector:AV:N/AC:L'],
  ['access_vector:network', 'access_vector:NETWORK'],
  ['status:In_Progress', 'status:in_progress'],
  ['updated<=7d', 'updated<=7d'],
  ['updated:TODAY', 'updated:today'],
  ['published>=2026-01-31', 'published>=2026-01-31'],
  ['published<2026-01-31t08:00:00z', 'published<2026-01-31T08:00:00Z'],
  ['cvss3:7..8.9', 'cvss3>=7 AND cvss3<=8.9'],
  ['NOT score:50..', 'NOT score>=50'],
  ['-epss:..50%', 'NOT epss<=0.5'],
  ['NOT published:2024..2025-06', 'NOT (published>=2024 AND published<=2025-06)'],
  ['published:2024-05..2024', 'published>=2024-05 AND published<=2024'],
  ['published:7d..1mo', 'published>=7d AND published<=1mo'],
  ['epss>7%', 'epss>0.07'],
  ['severity:Critical', 'severity:critical'],
  ['ransomware -patched overdue affects:yes', 'ransomware AND NOT fixable AND overdue AND affects:yes'],
  ['log4j', '"log4j"'],
  ['"remote code"', '"remote code"'],
  ['"say \\"hi\\" \\\\ now"', '"say \\"hi\\" \\\\ now"'],
  ['a b', '"a" AND "b"'],
  ['kev and wild', 'kev AND wild'],
  ['kev AND wild OR news', '(kev AND wild) OR news'],
  ['kev OR wild news', 'kev OR (wild AND news)'],
  ['kev (wild news)', 'kev AND wild AND news'],
  ['kev (wild OR news)', 'kev AND (wild OR news)'],
  ['((kev))', 'kev'],
  ['NOT kev wild', 'NOT kev AND wild'],
  ['NOT (kev wild)', 'NOT (kev AND wild)'],
  ['not not kev', 'NOT NOT kev'],
  ['-kev', 'NOT kev'],
  ['exploited by:eu -kev', 'exploited_by:eu AND NOT kev'],
  ['exploited:any', 'exploited_by:any'],
  ['exploited by kev', '"exploited" AND "by" AND kev'],
  [
    'apache -vendor:nginx -"remote code" -(kev wild)',
    '"apache" AND NOT vendor:nginx AND NOT "remote code" AND NOT (kev AND wild)',
  ],
  ['(-kev)', 'NOT kev'],
  ['cross-site', '"cross-site"'],
  ['RHSA-2024:1234', '"RHSA-2024:1234"'],
  ['kev -rlsa-2023:5224', 'kev AND NOT "rlsa-2023:5224"'],
  ['SUSE-SU-2024:1234-1 OR kev', '"SUSE-SU-2024:1234-1" OR kev'],
  ['vendor:-x', 'vendor:"-x"'],
  ['published:2024', 'published:2024'],
  ['published>=2024-05', 'published>=2024-05'],
  ['vendor:AND', 'vendor:AND'],
  ['"AND"', '"AND"'],
  [
    'cvss3>=9 AND (vendor:apache OR kev) AND updated<=7d AND NOT status:fixed "remote code"',
    'cvss3>=9 AND (vendor:apache OR kev) AND updated<=7d AND NOT status:fixed AND "remote code"',
  ],
]

test.each(readable)('%j is read as %j', (text, printed) => {
  expect(read(text)).toBe(printed)
  expect(read(printed)).toBe(printed)
})

const unreadable: [string, string][] = [
  ['kev and cvss3>=', 'expected a number after cvss3>= at 16'],
  ['cvss3>=high', 'expected a number after cvss3>= at 8'],
  ['cvss3>=1e400', 'expected a number after cvss3>= at 8'],
  ['score<=-1', 'expected a number from 0 to 100 after score<= at 8'],
  ['cvss3>10.1', 'expected a number from 0 to 10 after cvss3> at 7'],
  ['epss>50', 'expected a number from 0 to 1, such as 0.5 or 50% after epss> at 6'],
  ['epss>101%', 'expected a number from 0 to 1, such as 0.5 or 50% after epss> at 6'],
  ['score>50%', 'expected a number after score> at 7'],
  ['cvss3:9..7', 'expected the lesser end first after cvss3: at 7'],
  ['published:2025..2024', 'expected the lesser end first after published: at 11'],
  ['published:1mo..7d', 'expected the lesser end first after published: at 11'],
  ['cvss3:..', 'expected a number after cvss3: at 7'],
  ['cvss3>7..9', 'expected a number after cvss3> at 7'],
  ['published:0999', 'expected a date such as 2026-01-31, 2026, 7d, 24h, 2w, 3mo or today after published: at 11'],
  ['published:2024-13', 'expected a date such as 2026-01-31, 2026, 7d, 24h, 2w, 3mo or today after published: at 11'],
  ['vendr:apache', 'there is no field vendr (did you mean vendor?) at 1'],
  ['RHSA-2024: 1234', 'there is no field RHSA-2024 at 1'],
  ['kev proudct:x', 'there is no field proudct (did you mean product?) at 5'],
  ['publishd<=7d', 'there is no field publishd (did you mean published?) at 1'],
  ['kev -', 'expected a word with letters or digits at 5'],
  ['cvss3>=(9)', 'expected a number after cvss3>= at 8'],
  ['updated<=yesteryear', 'expected a date such as 2026-01-31, 2026, 7d, 24h, 2w, 3mo or today after updated<= at 10'],
  ['updated:2026-02-30', 'expected a date such as 2026-01-31, 2026, 7d, 24h, 2w, 3mo or today after updated: at 9'],
  ['status:done', 'expected one of undefined, fixed, not_interesting, in_progress after status: at 8'],
  ['kev:maybe', 'expected true or false after kev: at 5'],
  ['advisory:apache', 'expected the id of an advisory, such as MS17-010 or RHSA-2024:1234 after advisory: at 10'],
  ['cwe:xss', 'expected a CWE such as CWE-79 after cwe: at 5'],
  ['cpe:openssl', 'expected a CPE such as "cpe:2.3:a:vendor:product:version" after cpe: at 5'],
  ['vendor:""', 'expected a text after vendor: at 8'],
  ['vendor:', 'expected a text after vendor: at 8'],
  ['severety:critical', 'there is no field severety (did you mean severity?) at 1'],
  ['kev http://x', 'there is no field http at 5'],
  ['kev>1', 'kev cannot be asked with > at 4'],
  ['vendor>=a', 'vendor cannot be asked with >= at 7'],
  ['id<100', 'id cannot be asked with < at 3'],
  ['id=1.5', 'expected a whole number after id= at 4'],
  ['score~8', 'score cannot be asked with ~ at 6'],
  ['kev AND', 'expected a condition at 8'],
  ['AND kev', 'expected a condition before AND at 1'],
  ['kev OR OR wild', 'expected a condition before OR at 8'],
  ['NOT', 'expected a condition after NOT at 1'],
  ['(kev', 'the parenthesis is not closed that opens at 1'],
  ['kev)', 'a parenthesis closes that never opened at 4'],
  ['()', 'expected a condition in the parentheses at 2'],
  [')', 'expected a condition before the closing parenthesis at 1'],
  [':kev', 'expected a field before : at 1'],
  ['"remote', 'the quote is not closed that opens at 1'],
  ['C ++', 'expected a word with letters or digits at 3'],
  ['🙈', 'expected a word with letters or digits at 1'],
]

test.each(unreadable)('%j is refused with the place of its mistake', (text, message) => {
  expect(read(text)).toBe(message)
})

test.each([
  ['characters', 'x'.repeat(2_001), 'A query has at most 2000 characters: it goes on at 2001'],
  ['words', 'a '.repeat(201), 'A query has at most 200 words and signs: it goes on at 401'],
  ['conditions', 'a '.repeat(21), 'A query has at most 20 conditions: it goes on at 41'],
  ['parentheses', `${'('.repeat(100)}kev`, 'parentheses and NOTs go at most 16 deep at 18'],
  ['negations', `${'NOT '.repeat(100)}kev`, 'parentheses and NOTs go at most 16 deep at 69'],
])('too many %s are refused', (_, text, message) => expect(read(text)).toBe(message))

test('any text is answered, and a query that was read is read again from how it is written back', () => {
  const pieces = fc.constantFrom(
    ...fieldNames,
    ...String.raw`AND OR NOT ( ) : >= ~ " \ 9 7d CWE-79 C++ 🙈 true`.split(' '),
    ' ',
    '\u0000',
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(pieces).map((all) => all.join('')),
    fc.array(pieces).map((all) => all.join(' ')),
  )
  fc.assert(
    fc.property(text, (given) => {
      const { query, problem } = parseQuery(given)
      if (problem) expect(problem.message).toMatch(/ at \d+$/)
      else expect(parseQuery(printQuery(query))).toEqual({ query })
    }),
    { numRuns: 2_000 },
  )
})

const value = (field: (typeof fieldNames)[number]) => {
  const { kind, choices = [], ends: [min, max] = [-1e9, 1e9] } = getDefinition(field)
  if (kind === 'number') return fc.double({ noNaN: true, min, max }).map((number) => number + 0)
  if (kind === 'key') return fc.nat()
  if (kind === 'flag') return fc.boolean()
  if (kind === 'date')
    return fc.constantFrom(...'2026 2026-11 2026-11-20 2026-11-20T08:00:00Z 7d 24h 3mo 1y today yesterday'.split(' '))
  if (kind === 'choice') return fc.constantFrom(...choices)
  if (kind === 'id') return fc.constant(getDefinition(field).example.replaceAll('"', ''))
  return fc
    .string({ unit: 'binary', minLength: 1, maxLength: 20 })
    .filter((one) => one.trim() !== '' && !/^cve-/i.test(one))
}
const comparison = fc.constantFrom(...fieldNames).chain((field) => {
  const ops: readonly ('eq' | 'gt' | 'gte' | 'lt' | 'lte' | 'like' | 'match')[] =
    operatorsByKind[getDefinition(field).kind]
  return fc.record({
    kind: fc.constant('compare' as const),
    field: fc.constant(field),
    op: fc.constantFrom(...ops),
    value: value(field),
  })
})
const words = fc.string({ minLength: 1, maxLength: 20 }).filter((one) => /[a-z\d]/i.test(one))
const query: fc.Arbitrary<Query> = fc.letrec<{ query: Query }>((tie) => ({
  query: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    comparison,
    fc.record({ kind: fc.constant('text' as const), text: words }),
    fc.record({ kind: fc.constant('not' as const), term: tie('query') }),
    fc
      .tuple(fc.constantFrom('and' as const, 'or' as const), fc.array(tie('query'), { minLength: 2, maxLength: 3 }))
      .map(([kind, terms]) => newGroup(kind, terms) ?? ({ kind: 'text', text: 'none' } as const)),
  ),
})).query

test('a query written and read again is the same query', () => {
  fc.assert(
    fc.property(query, (given) => {
      const { query: again, problem } = parseQuery(printQuery(given))
      if (problem) expect(problem.message).toMatch(/at most/)
      else expect(again).toEqual(given)
    }),
    { numRuns: 1_000 },
  )
})

const offered = (text: string) => completeQuery(text, text.length).options.map((option) => option.text)
test.each([
  ['kev AND cvss', ['cvss>=', 'cvss3>=', 'cvss4>=', 'cvss_vector:', 'cvss3_vector:']],
  ['status:', ['undefined', 'fixed', 'not_interesting', 'in_progress']],
  ['status:f', ['fixed']],
  ['updated<=t', ['today']],
  ['due<=', ['today', '7d', '30d']],
  [
    'kev a',
    ['advisory:', 'affects:', 'assignee:', 'access_vector:', 'access_complexity:', 'access_authentication:', 'AND'],
  ],
  ['vendor:apa', []],
  ['nothing:', []],
  ['"open', []],
  ['(w', ['wild']],
])('after %j one may go on with %j', (text, options) => expect(offered(text)).toEqual(options))

test('the field whose value is being typed is named, so that its names can be looked up', () => {
  expect(completeQuery('kev vendor:apa', 14)).toMatchObject({ field: 'vendor', typed: 'apa', from: 11, to: 14 })
})
