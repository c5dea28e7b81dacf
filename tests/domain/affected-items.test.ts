import { expect, test } from 'vitest'
import { newPlacing, isDisputed, orderAffected, uniteRanges } from '../../worker/domain/versions/affected-items'
import type { AffectedTarget } from '../../worker/domain/versions/affected-items'
import { findContradicted } from '../../worker/domain/words/summary-words'
import type { AffectedRange, SourceKey } from '../../worker/domain/words/record'
import { describeRange } from '../../worker/domain/versions/range'
import { asRange, asRanges } from '../support/ranges'

const item = (name: string, sources: SourceKey[] = ['nvd'], more: Partial<AffectedTarget> = {}): AffectedTarget => {
  const [via = '', group = '', ...rest] = name.split('|')
  const statements = sources.map((source) => ({ source, ranges: [] }))
  return {
    via: via === 'package' ? 'package' : 'product',
    group,
    name: rest.join('|'),
    monitored: false,
    statements,
    ...more,
  }
}
const order = (words: string, items: (AffectedTarget & { fix?: string })[]) => {
  const place = newPlacing(words)
  return orderAffected(items.map((one) => ({ ...one, fix: one.fix ?? null, ...place(one) }))).map(
    ({ name, place: at }) => `${at}: ${name}`,
  )
}

test('CVE-2021-44228, Log4Shell: log4j-core comes before all that has it inside, and images come last', () => {
  const words =
    'Apache Log4j2 2.0-beta9 through 2.15.0 JNDI features do not protect. Note that this vulnerability is specific to log4j-core and does not affect log4net.'
  const items = [
    item('product|cisco|webex_meetings_server'),
    item('package|oci|bitnami/log4j-core', ['osv']),
    item('product|apache|log4j', ['cve', 'nvd']),
    item('product|debian|debian_linux'),
    item('package|maven|org.ops4j.pax.logging:pax-logging-log4j2', ['ghsa']),
    item('package|maven|com.guicedee.services:log4j-core', ['ghsa']),
    item('package|maven|org.apache.logging.log4j:log4j-core', ['ghsa']),
    item('product|siemens|vesys', ['nvd'], { monitored: true }),
  ]
  expect(order(words, items)).toEqual([
    'monitored: vesys',
    'named: org.apache.logging.log4j:log4j-core',
    'named: log4j',
    'named: com.guicedee.services:log4j-core',
    'other: org.ops4j.pax.logging:pax-logging-log4j2',
    'other: webex_meetings_server',
    'distribution: bitnami/log4j-core',
    'distribution: debian_linux',
  ])
})

test('CVE-2024-6387, regreSSHion: the CNA is a distributor, whose own products are builds nevertheless', () => {
  const words = "A security regression was discovered in OpenSSH's server (sshd)."
  const items = [item('product|redhat|enterprise_linux_9', ['cve']), item('product|openbsd|openssh')]
  expect(order(words, items)).toEqual(['named: openssh', 'distribution: enterprise_linux_9'])
})

test('products that the same version fixes stand together', () => {
  const items = [
    { ...item('product|a|first_thing', ['cve']), fix: '2.0' },
    { ...item('product|a|second', ['cve']), fix: '3.0' },
    { ...item('product|a|third', ['cve']), fix: '2.0' },
  ]
  expect(order('A flaw in first thing.', items)).toEqual(['named: first_thing', 'named: third', 'named: second'])
})

const describe = (...lists: AffectedRange[][]) =>
  uniteRanges(lists.map((ranges, at) => ({ source: at ? 'nvd' : 'cve', ranges }))).map(describeRange)

test('CVE-2014-0160, Heartbleed: the union says each range once', () => {
  const nvd = asRanges('a >=1.0.1 <1.0.1g')
  expect(describe(['a:1.0.1', 'a:1.0.1f', 'a:1.0.2:beta1'], nvd)).toEqual(['>= 1.0.1, < 1.0.1g', '1.0.2 beta1'])
  expect(describe(asRanges('a:1.5', '>=1.1 <1.4'), asRanges('a >=1.0 <2.0'))).toEqual(['>= 1.0, < 2.0'])
  expect(describe(['a'], nvd)).toEqual(['>= 1.0.1, < 1.0.1g'])
  expect(describe(['a'])).toEqual(['all versions'])
  expect(describe(asRanges('a:5.6.0', 'loose unaffected'))).toEqual(['5.6.0'])
})

test('MOVEit 2020.0: a version that one source calls affected and another does not is a dispute', () => {
  const statements = (source: SourceKey, ...ranges: AffectedRange[]) => ({ source, ranges })
  const [nvd, cve] = [
    statements('nvd', 'a:2020.0', asRange('a >=2021.0.0 <2021.0.7')),
    statements('cve', asRange('>=2021.0.0 <2021.0.7'), asRange('loose unaffected')),
  ]
  expect(isDisputed([nvd, cve])).toBe(true)
  expect(isDisputed([nvd])).toBe(false)
  expect(isDisputed([cve, statements('nvd', asRange('a >=2021.0.0 <=2021.0.6'))])).toBe(false)
  expect(isDisputed([nvd, statements('kev', 'a')])).toBe(false)
})

const aTarget = (group: string, name: string, ...ranges: AffectedRange[]) => ({
  via: 'product' as const,
  group,
  name,
  readStatements: () => [{ source: 'nvd', ranges }],
})
const contradicted = (summary: string, ...targets: ReturnType<typeof aTarget>[]) =>
  findContradicted(summary, targets).map(
    ({ target: { name }, ranges }) => `${name} ${ranges.map(describeRange).join()}`,
  )

test('a version that a summary calls affected is of what is named last before it (CVE-2023-29178, CVE-2023-33239)', () => {
  const proxy = aTarget('fortinet', 'fortiproxy', asRange('semver >=7.2.0 <=7.2.3'))
  const os = aTarget('fortinet', 'fortios', asRange('semver >=7.2.0 <=7.2.4'))
  expect(
    contradicted('FortiProxy version 7.2.0 through 7.2.3 and FortiOS version 7.2.0 through 7.2.4', proxy, os),
  ).toEqual([])
  expect(contradicted('FortiProxy version 7.2.0 through 7.2.4', proxy, os)).toEqual(['fortiproxy 7.2.4'])
  const series = [aTarget('moxa', 'tn-4900', asRange('>=1.0 <=1.2.4')), aTarget('moxa', 'tn-5900', asRange('<=3.3'))]
  const words = 'TN-4900 Series versions v1.2.4 and prior and TN-5900 Series versions v3.3 and prior are vulnerable'
  expect(contradicted(words, ...series)).toEqual([])
})

test.each([
  ['CVE-2024-51482', 'ZoneMinder v1.37.* <= 1.37.64 is vulnerable to SQL injection', ['zoneminder 1.37.64']],
  ['CVE-2024-26674', "The kernel panics. It couldn't be reproduced on zoneminder kernels <= v1.37.64.", []],
  ['CVE-2019-2524', 'Affected zoneminder versions are prior to 1.37.64 and prior to 2.0.2', []],
  ['CVE-2024-3181', 'zoneminder 1 prior to 1.37.64 and previous versions prior to 1.36.9', []],
  ['a denial', 'Of zoneminder is not affected any up to and including 1.37.64', []],
])('%s: %s', (_, summary, expected) => {
  const zoneminder = aTarget('zoneminder', 'zoneminder', asRange('a <1.37.64'))
  expect(contradicted(summary, zoneminder)).toEqual(expected)
})

test('CVE-2023-35084, Endpoint Manager: the update that the summary calls affected and the record unaffected is a dispute', () => {
  const summary =
    'Unsafe Deserialization of User Input could lead to Execution of Unauthorized Operations in Ivanti Endpoint Manager 2022 su3 and all previous versions'
  const manager = aTarget('ivanti', 'endpoint_manager', asRange('loose'), {
    order: 'loose',
    ge: '2022 su3',
    status: 'unaffected',
  })
  expect(contradicted(summary, manager)).toEqual(['endpoint_manager 2022 su3'])
})

test('a summary says nothing of builds and products of distributors, and "up to" nothing certain', () => {
  const summary =
    'Apache Log4j2 2.0-beta9 through 2.15.0 does not affect other Apache Logging Services. Specific to log4j-core.'
  const log4j = aTarget('apache', 'log4j', asRange('<2.15.0'))
  const logging = aTarget('redhat', 'logging', 'a:5.0', 'a:5.1')
  expect(contradicted(summary, log4j, logging)).toEqual(['log4j 2.15.0'])
  const gitlab = aTarget('gitlab', 'gitlab', asRange('a <17.8.7'))
  expect(contradicted('An issue in GitLab affecting all up to 17.8.7', gitlab)).toEqual([])
  expect(contradicted('GitLab 17.8.x and earlier, with 66 or earlier', gitlab)).toEqual([])
})
