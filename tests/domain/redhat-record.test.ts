import { expect, test } from 'vitest'
import { judgeStatements } from '../../worker/domain/versions/affected'
import type { VersionRange } from '../../worker/domain/words/record'
import { parsePurl } from '../../worker/domain/names/purl'
import { findRelease } from '../../worker/domain/names/purl-release'
import { parseBuild, parseComponent, fromRedhat, RedhatCve } from '../../worker/feeds/redhat/record'
import { aRedhatCve, redhatVector as vector } from '../support/redhat'
import { asRange, asRanges } from '../support/ranges'

const read = (more: Record<string, unknown> = {}) => fromRedhat(RedhatCve.parse(aRedhatCve('CVE-2026-10001', more)))
const state = (fix_state: string, package_name = 'widget', product_name = 'Red Hat Enterprise Linux 7') => ({
  product_name,
  fix_state,
  package_name,
  cpe: 'cpe:/o:redhat:enterprise_linux:7',
})

test('a CVE of Red Hat says which builds fix it where, and where it is not affected', () => {
  expect(read()).toEqual({
    cveid: 'CVE-2026-10001',
    state: 'published',
    summary: 'A flaw was found in Widget.',
    published: '2026-07-01T08:00:00Z',
    cvss3: { score: 8.1, vector, by: 'Red Hat' },
    cwe_ids: ['CWE-20', 'CWE-400'],
    references: [
      { url: 'https://access.redhat.com/security/cve/CVE-2026-10001', tags: ['Vendor Advisory'] },
      { url: 'https://bugzilla.redhat.com/show_bug.cgi?id=1', tags: ['Issue Tracking'] },
      { url: 'https://www.cve.org/CVERecord?id=1', tags: [] },
      { url: 'https://acme.example/widget', tags: [] },
    ],
    aliases: ['RHSA-2026:4312'],
    affected: [
      { vendor: 'redhat', product: 'enterprise_linux', ranges: asRanges('a:9', '=8.* unaffected', 'loose unknown') },
    ],
    packages: [
      {
        type: 'rpm',
        name: 'redhat/widget',
        ranges: asRanges(
          'rpm <0:8.7p1-38.el9_4.1 on Red Hat Enterprise Linux 9',
          'rpm unaffected on Red Hat Enterprise Linux 8',
        ),
      },
    ],
  })
})

test.each([
  ['a chain', 'CWE-20->CWE-400', ['CWE-20', 'CWE-400']],
  ['a choice', '(CWE-20|CWE-79)', ['CWE-20', 'CWE-79']],
  ['both', 'CWE-119->(CWE-20|CWE-119)', ['CWE-119', 'CWE-20']],
  ['nothing', undefined, []],
])('weaknesses as %s', (_, cwe, ids) => expect(read({ cwe }).cwe_ids).toEqual(ids))

test('a score is a text, and one without its vector is none', () => {
  expect(read({ cvss3: { cvss3_base_score: '0.0', cvss3_scoring_vector: '', status: 'draft' } }).cvss3).toBeUndefined()
  expect(read({ cvss3: undefined }).cvss3).toBeUndefined()
})

test.each([
  ['Affected', undefined],
  ['Fix deferred', undefined],
  ['Will not fix', undefined],
  ['Out of support scope', undefined],
  ['Not affected', 'unaffected'],
  ['Under investigation', 'unknown'],
  ['A word of tomorrow', 'unknown'],
])('the state "%s" of a package', (fix_state, status) => {
  const [widget] = read({
    affected_release: [],
    package_state: [state('Affected', 'widget', 'Other'), state(fix_state)],
  }).packages ?? [{ ranges: [] }]
  expect(widget?.ranges.at(-1)?.status).toBe(status)
})

test('a package that is affected nowhere is not named, nor is its product', () => {
  const package_state = [state('Not affected'), state('Under investigation', 'gadget')]
  expect(read({ affected_release: undefined, package_state })).toMatchObject({ affected: [], packages: [] })
})

test('CVE-2022-26491, Pidgin: Red Hat speaks of the releases that it names, and of no other', () => {
  const states = [
    ['6', 'Out of support scope'],
    ['7', 'Affected'],
    ['8', 'Not affected'],
    ['9', 'Under investigation'],
  ]
  const package_state = states.map(([release, fix_state = '']) => ({
    ...state(fix_state, 'pidgin', `Red Hat Enterprise Linux ${release}`),
    cpe: `cpe:/o:redhat:enterprise_linux:${release}`,
  }))
  const judge = (more: object[] = []) => {
    const [product] = read({ affected_release: [], package_state: [...package_state, ...more] }).affected ?? []
    return Object.fromEntries(
      ['6', '6.10', '7', '7.9', '8', '8.4', '9', '10'].map((version) => [
        version,
        judgeStatements(version, [{ source: 'redhat', ranges: product?.ranges ?? [] }]).status,
      ]),
    )
  }
  const expected = {
    '6': 'affected',
    '6.10': 'unknown',
    '7': 'affected',
    '7.9': 'unknown',
    '8': 'not_affected',
    '8.4': 'not_affected',
    '9': 'unknown',
    '10': 'unknown',
  }
  expect(judge()).toEqual(expected)
  // The same release by the name of one of its repositories, whose package is affected.
  const appStream = { ...state('Affected', 'finch'), cpe: 'cpe:/a:redhat:enterprise_linux:8::appstream' }
  expect(judge([appStream])).toEqual({ ...expected, '8': 'affected', '8.4': 'unknown' })
})

test('empty fields are absent: a record with the least there can be', () => {
  const record = fromRedhat(RedhatCve.parse({ name: 'CVE-2026-10001', bugzilla: { description: 'widget: opens' } }))
  expect(record).toMatchObject({ summary: 'widget: opens', aliases: [], packages: [], affected: [] })
})

test('a flaw that was taken back is rejected; a flaw in how something rejects is not', () => {
  expect(read({ bugzilla: { description: 'REJECTED CVE-2026-10001 widget' } }).state).toBe('rejected')
  expect(read({ bugzilla: { description: 'kernel: Reject out of bounds values' } }).state).toBe('published')
})

test.each([
  ['openssh-0:8.7p1-38.el9_4.1', 'rpm', 'redhat/openssh', '0:8.7p1-38.el9_4.1'],
  ['appstream-data-0:8-20190805.el8', 'rpm', 'redhat/appstream-data', '0:8-20190805.el8'],
  ['eap7-jboss-jsf-api_2.3_spec-0:3.0.0-3.SP02', 'rpm', 'redhat/eap7-jboss-jsf-api_2.3_spec', '0:3.0.0-3.SP02'],
  ['rhcos-413.92.202407091321-0', 'rpm', 'redhat/rhcos', '413.92.202407091321-0'],
  ['nodejs:10-8000020200214110450.f8e95b4e', 'rpmmod', 'redhat/nodejs:10', '10-8000020200214110450.f8e95b4e'],
  ['openshift4/ose-grafana:v4.3.0-202001211731', 'oci', 'redhat/openshift4/ose-grafana', 'v4.3.0-202001211731'],
  ['kpatch-patch', 'rpm', 'redhat/kpatch-patch', undefined],
])('the build %s', (text, type, name, lt) => {
  const build = parseBuild(text)
  expect([build.type, build.name, build.lt]).toEqual([type, name, lt])
})

test.each([
  ['kernel', 'rpm', 'redhat/kernel'],
  ['mariadb:10.3/mariadb', 'rpm', 'redhat/mariadb'],
  ['rhelai1/bootc-nvidia-rhel9', 'oci', 'redhat/rhelai1/bootc-nvidia-rhel9'],
])('the component %s', (text, type, name) => expect(parseComponent(text)).toMatchObject({ type, name }))

test("CVE-2022-1921, GStreamer: a flatpak that has it inside says nothing of the system's own package", () => {
  const rhel9 = 'Red Hat Enterprise Linux 9'
  const [gstreamer] =
    read({
      affected_release: [{ product_name: rhel9, package: 'gstreamer1-plugins-good-0:1.18.4-6.el9' }],
      package_state: [
        state('Affected', 'libreoffice:flatpak/gstreamer1-plugins-good', rhel9),
        state('Affected', 'nodejs:18/gstreamer1-plugins-good', 'Red Hat Enterprise Linux 8'),
        state('Not affected', 'nodejs:20/gstreamer1-plugins-good', 'Red Hat Enterprise Linux 8'),
      ],
    }).packages ?? []
  const judge = (version: string, on?: string) =>
    judgeStatements(version, [{ source: 'redhat', ranges: gstreamer?.ranges ?? [] }], { on })
  expect(judge('0:1.18.4-6.el9', rhel9).status).toBe('not_affected')
  expect(judge('0:1.18.4-5.el9', rhel9)).toMatchObject({ status: 'affected', fixed_in: '0:1.18.4-6.el9' })
  expect(judge('0:1.18.4-6.el9').status).toBe('affected')
  // We do not know the stream of a RHEL 8 build.
  expect(judge('0:1.18.4-6.el8', 'Red Hat Enterprise Linux 8').status).toBe('affected')
  const releases = gstreamer?.ranges.flatMap(({ on }) => on ?? []) ?? []
  const purl = parsePurl('pkg:rpm/redhat/gstreamer1-plugins-good@1.18.4-6.el8')
  expect(purl && findRelease(purl, releases)).toBe('Red Hat Enterprise Linux 8')
})

test('CVE-2024-6387, regreSSHion: RHEL 7 is not affected, whatever is said of Ceph Storage 7', () => {
  const [rhel7, rhel9] = ['Red Hat Enterprise Linux 7', 'Red Hat Enterprise Linux 9']
  const [openssh] =
    read({
      affected_release: [{ product_name: rhel9, package: 'openssh-0:8.7p1-38.el9_4.1' }],
      package_state: [state('Not affected', 'openssh', rhel7), state('Affected', 'openssh', 'Red Hat Ceph Storage 7')],
    }).packages ?? []
  const ranges = openssh?.ranges ?? []
  const judge = (purl: string) => {
    const parsed = parsePurl(purl)
    const on = parsed ? findRelease(parsed, [...new Set(ranges.flatMap((range) => range.on ?? []))]) : undefined
    const { status, confidence } = judgeStatements(parsed?.version ?? '', [{ source: 'redhat', ranges }], { on })
    return `${status} ${confidence}`
  }
  expect(judge('pkg:rpm/redhat/openssh@7.4p1-23.el7_9?distro=redhat-7.9')).toBe('not_affected confirmed')
  expect(judge('pkg:rpm/redhat/openssh@8.7p1-38.el9?distro=rhel-9.4')).toBe('affected confirmed')
  expect(judge('pkg:rpm/redhat/openssh@8.0p1-19.el8?distro=rhel-8.9')).toBe('unknown name_only')
  expect(judge('pkg:rpm/redhat/openssh@8.7p1-38')).toBe('affected likely')
})

test('Ubuntu 22.04 is not judged by what is said of 14.04 Pro', () => {
  const [old, own] = ['Ubuntu:Pro:14.04:LTS', 'Ubuntu:22.04:LTS']
  const judge = (releases: string[]) => {
    const purl = parsePurl('pkg:deb/ubuntu/openssl@3.0.2-0ubuntu1?distro=ubuntu-22.04')
    const ranges = releases.map((on): VersionRange => ({ order: 'deb', lt: '1.0.1f-1ubuntu2.27+esm5', on }))
    return judgeStatements('3.0.2-0ubuntu1', [{ source: 'osv', ranges }], {
      on: purl ? findRelease(purl, releases) : '',
    })
  }
  expect(judge([old])).toMatchObject({ status: 'unknown', confidence: 'name_only' })
  expect(judge([old, own])).toMatchObject({ status: 'not_affected', confidence: 'confirmed' })
})

test('CVE-2023-38545, curl: of two fixes in a release the last one counts, and the first one mends a part', () => {
  const on = 'Red Hat Enterprise Linux 9'
  const builds = ['curl-0:7.76.1-26.el9_3.2', 'curl-0:7.76.1-23.el9_2.4']
  const [curl] =
    read({ affected_release: builds.map((build) => ({ product_name: on, package: build })), package_state: [] })
      .packages ?? []
  const judge = (version: string) =>
    judgeStatements(version, [{ source: 'redhat', ranges: curl?.ranges ?? [] }], { on })
  expect(judge('0:7.76.1-19.el9')).toMatchObject({ status: 'affected', confidence: 'confirmed' })
  expect(judge('0:7.76.1-23.el9_2.4')).toMatchObject({
    status: 'affected',
    confidence: 'likely',
    fixed_in: '0:7.76.1-26.el9_3.2',
  })
  expect(judge('0:7.76.1-26.el9_3.2')).toMatchObject({ status: 'not_affected', confidence: 'confirmed' })
})

test('a fix whose build is not named leaves the versions open', () => {
  const affected_release = [
    { product_name: 'A', package: 'kpatch-patch' },
    { product_name: 'B', package: 'kpatch-patch-0:1-2' },
  ]
  expect(read({ affected_release, package_state: [] }).packages?.[0]?.ranges).toEqual(
    asRanges('rpm unknown on A', 'rpm <0:1-2 on B'),
  )
})

test('CVE-2024-34155, OpenShift: an image is fixed by the build of its branch', () => {
  const ranges = ['4.15', '4.16', '4.17'].map((branch): VersionRange => {
    return { order: 'loose', lt: `v${branch}.0-202410172201.p0`, on: `Red Hat OpenShift Container Platform ${branch}` }
  })
  const judge = (version: string) => judgeStatements(version, [{ source: 'redhat', ranges }])
  expect(judge('v4.16.0-202410172201.p0')).toMatchObject({ status: 'not_affected', confidence: 'likely' })
  expect(judge('v4.16.0-202409172201.p0')).toMatchObject({ status: 'affected', fixed_in: 'v4.16.0-202410172201.p0' })
  expect(judge('v4.14.0-202410172201.p0').status).toBe('affected')
  const open = asRange('loose unknown on OpenShift Service Mesh 2')
  expect(judgeStatements('v4.16.0-202410172201.p0', [{ source: 'redhat', ranges: [...ranges, open] }]).status).toBe(
    'unknown',
  )
})
