import { expect, test } from 'vitest'
import { findKnownVersions, judgeStatements } from '../../worker/domain/versions/affected'
import { leaveSpokenOpen } from '../../worker/domain/versions/spoken-ends'
import type { AffectedRange } from '../../worker/domain/words/record'
import { fromNvd, NvdCve } from '../../worker/feeds/nvd/record'
import { expectStatuses, type Expected } from '../support/verdicts'
import { eachCase } from '../support/each-case'

// Summaries of real records of NVD beside its lists.

eachCase<[string, string[], Expected]>({
  'CVE-2015-8617, PHP: the list has the fix alone, and the words what comes before it': [
    'Format string vulnerability in the zend_throw_or_error function in Zend/zend_execute_API.c in PHP 7.x before 7.0.1 allows remote attackers to execute arbitrary code',
    ['php:php:7.0.1'],
    { affected: '7.0.1', unknown: '7.0.0', not_affected: '5.6.40 7.0.2 7.1.0' },
  ],
  'CVE-1999-0107, Apache: a list of some of those that the words mean': [
    'Buffer overflow in Apache 1.2.5 and earlier allows a remote attacker to cause a denial of service',
    ['apache:http_server:1.1.1', 'apache:http_server:1.2.5'],
    { affected: '1.1.1 1.2.5', unknown: '1.2.4 1.0', not_affected: '1.2.6 1.3.0' },
  ],
  'CVE-2013-1152, ASA: the list has where the words begin': [
    'Cisco Adaptive Security Appliances (ASA) devices with software 9.0 before 9.0(1.2) allow remote attackers to cause a denial of service',
    ['cisco:adaptive_security_appliance_software:9.0'],
    { affected: '9.0', unknown: '9.0(1.1)', not_affected: '9.0(1.2) 8.4' },
  ],
  'CVE-2014-6425, Wireshark: the words end at what follows the list': [
    'dissectors/packet-cups.c in the CUPS dissector in Wireshark 1.12.x before 1.12.1 allow remote attackers to cause a denial of service',
    ['wireshark:wireshark:1.12.0'],
    { affected: '1.12.0', unknown: '1.12.0.1', not_affected: '1.12.1 1.10.0' },
  ],
  'CVE-2014-6425, openSUSE: the words are about another product': [
    'dissectors/packet-cups.c in the CUPS dissector in Wireshark 1.12.x before 1.12.1 allow remote attackers to cause a denial of service',
    ['opensuse:opensuse:12.3'],
    { affected: '12.3', not_affected: '12.2 1.12.0' },
  ],
  'CVE-2011-1004, Ruby: what a list holds stays affected, builds included': [
    'The FileUtils.remove_entry_secure method in Ruby 1.8.6 through 1.8.6-420, 1.8.7 through 1.8.7-330, 1.8.8dev, 1.9.1 through 1.9.1-430, 1.9.2 through 1.9.2-136, and 1.9.3dev',
    ['ruby-lang:ruby:1.9.1', 'ruby-lang:ruby:1.9.2'],
    { affected: '1.9.1 1.9.1-430 1.9.2', unknown: '1.8.7-100', not_affected: '1.8.5 1.9.3' },
  ],
  'CVE-2009-0199, VMware Player: an end without a beginning is none of another branch': [
    'VMware Movie Decoder before 6.5.3 build 185404, VMware Workstation 6.5.x before 6.5.3 build 185404, VMware Player 2.5.x before 2.5.3 build 185404, and VMware ACE',
    ['vmware:player:2.5.1', 'vmware:player:2.5.2'],
    { affected: '2.5.1 2.5.2', unknown: '2.5.0', not_affected: '2.4.0 2.5.3 6.5.0' },
  ],
  'CVE-2015-5162, Cinder: the last one that the words name is meant, too': [
    'The image parser in OpenStack Cinder 7.0.2 and 8.0.0 through 8.1.1 does not properly limit qemu-img calls',
    ['openstack:cinder:7.0.2'],
    { affected: '7.0.2', unknown: '8.0.0 8.1.1', not_affected: '8.1.2 7.0.3' },
  ],
})('%s', (summary, names, expected) => expectStatuses('nvd', rangesBeside(summary, names), expected))

const rangesBeside = (summary: string, names: string[]) => {
  const cpeMatch = names.map((name) => ({ vulnerable: true, criteria: `cpe:2.3:a:${name}:*:*:*:*:*:*:*` }))
  const record = fromNvd(
    NvdCve.parse({
      id: 'CVE-2015-8617',
      published: '2016-01-19T05:59:12.460',
      lastModified: '2016-01-19T05:59:12.460',
      descriptions: [{ lang: 'en', value: summary }],
      configurations: [{ nodes: [{ cpeMatch }] }],
    }),
  )
  return (record.affected ?? []).flatMap(({ ranges }) => ranges)
}

test('CVE-2015-8617, PHP: the answer says that only the summary tells of 7.0.0', () => {
  const ranges = rangesBeside('PHP 7.x before 7.0.1 allows', ['php:php:7.0.1'])
  expect(judgeStatements('7.0.0', [{ source: 'nvd', ranges }])).toMatchObject({
    status: 'unknown',
    reason: 'A range that contains it is told by the words of the record alone, not by its list of versions.',
  })
  expect(findKnownVersions(ranges)).toEqual(['7.0.1'])
  expect(judgeStatements('7.0.1', [{ source: 'nvd', ranges }])).toMatchObject({ status: 'affected', reason: null })
})

eachCase<[string, string, string, Expected, string]>({
  'CVE-2014-100005, DIR-600: the words name the first firmware behind the range': [
    'in D-Link DIR-600 router (rev. Bx) with firmware before 2.17b02 allow remote attackers',
    'dir-600_firmware',
    '2.16ww',
    { affected: '2.16 2.15', unknown: '2.17b01', not_affected: '2.17b02 2.18' },
    '2.17b02',
  ],
  'CVE-2008-1532, Perlbal: so do those of a program': [
    'The server in Perlbal before 1.70 allows remote attackers',
    'perlbal',
    '1.60',
    { affected: '1.60 1.2', unknown: '1.61', not_affected: '1.70 1.71' },
    '1.70',
  ],
  'made by hand: of another program, of another branch, and with the last one they name nothing': [
    'Bar before 1.71, Perlbal 2.x before 2.3 and Perlbal through 1.90 allow',
    'perlbal',
    '1.60',
    { affected: '1.60', not_affected: '1.61' },
    '',
  ],
})('%s', (summary, product, last, expected, next) => {
  const stated: AffectedRange[] = [{ cpe: 'a', le: last }]
  const ranges = leaveSpokenOpen(summary, [{ vendor: 'x', product, ranges: stated }]).flatMap((one) => one.ranges)
  expectStatuses('nvd', ranges, expected)
  const [affected = ''] = expected.affected?.split(' ') ?? []
  expect(judgeStatements(affected, [{ source: 'nvd', ranges }]).first_unlisted ?? '').toBe(next)
})

test('Words that deny, and ranges beside the list, open nothing', () => {
  const listed = { affected: '2.0', not_affected: '1.0 1.9' }
  for (const words of [
    'Foo 2.0 is vulnerable. It does not affect versions before 2.0.',
    'Foo 2.0 is vulnerable, while versions before 2.0 are not affected.',
    'Foo 2.0 is vulnerable.',
  ])
    expectStatuses('nvd', rangesBeside(words, ['foo:foo:2.0']), listed)
  expect(
    leaveSpokenOpen('Foo before 2.0', [{ vendor: 'foo', product: 'foo', ranges: ['a:2.0', { cpe: 'a', lt: '1.5' }] }]),
  ).toEqual([{ vendor: 'foo', product: 'foo', ranges: ['a:2.0', { cpe: 'a', lt: '1.5' }] }])
})
