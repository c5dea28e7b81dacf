import { expect, test } from 'vitest'
import { compileName } from '../../worker/domain/versions/compiled'
import { judgeStatements } from '../../worker/domain/versions/affected'
import type { AffectedRange } from '../../worker/domain/words/record'
import { expectStatuses, type Expected } from '../support/verdicts'
import { asRanges } from '../support/ranges'
import { eachCase } from '../support/each-case'

// Updates beside versions, as NVD writes them in real records.

eachCase<[AffectedRange[], Expected]>({
  'CVE-2012-1723, Java: a bound and its update are one version': [
    asRanges('a:*:update35 <=1.5.0'),
    { affected: '1.5.0_35 1.5.0u35 1.5.0_34 1.5.0 5u35 1.4.2_40', not_affected: '1.5.0_36 5u36 1.6.0' },
  ],
  'CVE-2010-1428, JBoss': [
    asRanges('a:*:cp08 <=4.2.0'),
    { affected: '4.2.0.cp08 4.2.0.cp07 4.2.0', not_affected: '4.2.0.cp09 4.3.0' },
  ],
  'CVE-2014-0780, Web Studio': [
    asRanges('a:*:sp2 <=7.1', 'a:7.1:-', 'a:7.1:sp1'),
    { affected: '7.1 7.1sp1 7.1-SP2 7.0', not_affected: '7.1sp3 7.2' },
  ],
  'CVE-2015-4068, Arcserve: an update that is a number': [
    asRanges('a:*:3 <=5.0'),
    { affected: '5.0 5.0.3 4.9', not_affected: '5.0.4 6.0' },
  ],
  'Linux 2.6.33 rc4: what ends before the release leaves it out': [
    asRanges('o:*:rc4 <=2.6.33'),
    { affected: '2.6.33-rc4 2.6.32', not_affected: '2.6.33-rc5 2.6.33' },
  ],
  'an update that is not known is none': [
    asRanges('a:*:unknown <=8.1.2'),
    { affected: '8.1.2 8.1.1', not_affected: '8.1.3' },
  ],
  'Java: three spellings of an update': [
    ['a:1.8.0:update202', 'a:1.7.0:update_45'],
    {
      affected: '1.8.0_202 8u202 1.8.0u202 1.8.0_202-b08 7u45 1.7.0_45',
      not_affected: '1.8.0_203 8u201 7u51 1.6.0_45',
    },
  ],
  'Java as Oracle itself writes it': [
    ['a:8u401'],
    { affected: '8u401 1.8.0_401 1.8.0u401', not_affected: '1.8.0_402' },
  ],
  'Tomcat 9.0.0.M5': [
    ['a:9.0.0:milestone5'],
    { affected: '9.0.0.M5 9.0.0-M5 9.0.0-milestone5', not_affected: '9.0.0.M6 9.0.0' },
  ],
  'Tomcat, a milestone as a bound': [
    asRanges('a >=11.0.0-milestone1 <=11.0.0-milestone10'),
    { affected: '11.0.0-M5 11.0.0.M10', not_affected: '11.0.0-M11 11.0.0' },
  ],
  'Python 3.12.0b1': [
    ['a:3.12.0:beta1', 'a:3.12.0:alpha2'],
    { affected: '3.12.0b1 3.12.0-beta.1 3.12.0a2', not_affected: '3.12.0b2 3.12.0a1 3.12.0' },
  ],
  'D-Link: a build is no beta': [asRanges('o <=1.04b05'), { affected: '1.04 1.04b05', not_affected: '1.04b06 1.05' }],
  'security patches of Android': [
    asRanges('>=14:0 <14:2024-03-05'),
    { affected: '14:2024-02-05 14:2023-12-01', not_affected: '14:2024-03-05 13:2024-02-05' },
  ],
  'Android 12L': [['o:12.1'], { affected: '12L 12.1', not_affected: '12 13' }],
  'Acrobat: the year with two or four numbers': [
    asRanges('a <23.006.20380'),
    { affected: '2023.006.20360 23.006.20360', not_affected: '2023.006.20380 2023.008.20421' },
  ],
  'a version without its update may be any of them': [
    ['a:1.8.0:update201', 'a:1.8.0:update202'],
    { affected: '1.8.0 1.8', not_affected: '1.8.1 1.7.0' },
  ],
  'Windows Server 2008 r2 and SLES 11': [['o:r2:sp1', 'o:11:sp3'], { affected: 'r2 11', not_affected: '11.1 12' }],
  'a release is none of its betas': [['a:1.0.2:beta1', 'a:1.0.1'], { affected: '1.0.1', not_affected: '1.0.2' }],
})('%s', (ranges, expected) => expectStatuses('nvd', ranges, expected))

test.each<[string, string, AffectedRange[]]>([
  ['2003 SP2', 'affected', ['o:2003:sp2']],
  ['2003 Service Pack 2', 'affected', ['o:2003:sp2']],
  ['2019 CU14', 'affected', ['a:2019:cumulative_update_14']],
  ['2019 CU13', 'not_affected', ['a:2019:cumulative_update_14']],
  ['1.5.0 update35', 'affected', asRanges('a:*:update35 <=1.5.0')],
  ['8.0 update 202', 'affected', ['a:1.8.0:update202']],
])('%s is %s', (version, status, ranges) =>
  expect(judgeStatements(version, [{ source: 'nvd', ranges }]).status).toBe(status),
)

test('a possible match of a version without its update is likely, and the same among many versions', () => {
  const statements = [{ source: 'nvd', ranges: asRanges('a:1.8.0:update202', 'a:*:update35 <=1.5.0') }]
  const judge = compileName([
    { vuln_ids: [1], statements },
    { vuln_ids: [2], statements: [{ source: 'nvd', ranges: ['a:1.9'] }] },
  ])
  for (const version of ['1.4', '1.6', '1.7', '1.8.0', '1.8', '1.5.0', '1.5.0_35', '1.5.0_36', '8u202', '1.8.0.1'])
    expect([version, judge({ version }).map(([, { status, confidence }]) => [status, confidence])[0]]).toEqual([
      version,
      [judgeStatements(version, statements)].map(({ status, confidence }) => [status, confidence])[0],
    ])
  expect(judgeStatements('1.8.0', statements)).toMatchObject({ status: 'affected', confidence: 'likely' })
})
