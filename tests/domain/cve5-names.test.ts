import { expect, test } from 'vitest'
import { judgeStatements } from '../../worker/domain/versions/affected'
import { toCpeWord } from '../../worker/domain/names/product-names'
import type { VersionRange } from '../../worker/domain/words/record'
import { aCisaAdp, aCve5, anEntry, aRange } from '../support/cve5'
import { readContainers, readCve5 } from '../support/cve5-read'
import { expectStatuses } from '../support/verdicts'
import { eachCase } from '../support/each-case'

const affectedBy = (cna: Record<string, unknown>[], adp: Record<string, unknown>[] = []) =>
  readContainers({ affected: cna }, [aCisaAdp({ affected: adp })]).affected

test("CVE-2024-23186, OX App Suite: CISA's asterisk takes nothing back that the CNA says of versions", () => {
  const entry = (version: Record<string, unknown>, defaultStatus: string) =>
    anEntry('Open-Xchange', 'OX App Suite', version, { defaultStatus })
  const byCna = entry(
    { version: '0', status: 'affected', lessThanOrEqual: '8.21', versionType: 'semver' },
    'unaffected',
  )
  const byCisa = entry({ version: '*', status: 'affected' }, 'unknown')
  const judge = (version: string, cna: Record<string, unknown>[]) =>
    judgeStatements(version, [{ source: 'cve', ranges: affectedBy(cna, [byCisa])?.[0]?.ranges ?? [] }]).status
  expect([judge('8.21', [byCna]), judge('8.22', [byCna])]).toEqual(['affected', 'not_affected'])
  const open = { vendor: 'Open-Xchange', product: 'OX App Suite' }
  expect(judge('8.22', [open])).toBe('affected')
})

test('CVE-2024-2419, Keycloak: versions of what Red Hat ships are none of its product', () => {
  const upstream = {
    packageName: 'keycloak',
    collectionURL: 'https://github.com/keycloak/keycloak',
    defaultStatus: 'unaffected',
    versions: [aRange('0', '22.0.10', 'semver'), aRange('23.0.0', '24.0.3', 'semver')],
  }
  const build = {
    vendor: 'Red Hat',
    product: 'Red Hat build of Keycloak 22',
    packageName: 'rhbk/keycloak-rhel9',
    cpes: ['cpe:/a:redhat:build_keycloak:22::el9'],
    defaultStatus: 'affected',
    versions: [{ version: '22-13', status: 'unaffected', lessThan: '*', versionType: 'rpm' }],
  }
  const [keycloak, product] = affectedBy([upstream, build]) ?? []
  const judge = (version: string, named = keycloak) =>
    judgeStatements(version, [{ source: 'cve', ranges: named?.ranges ?? [] }])
  expect([keycloak, product].map((one) => `${one?.vendor}:${one?.product}`)).toEqual([
    'keycloak:keycloak',
    'redhat:build_keycloak',
  ])
  expect(['22.0.9', '22.0.10', '24.0.2'].map((version) => judge(version).status)).toEqual([
    'affected',
    'not_affected',
    'affected',
  ])
  expect(judge('22', product)).toMatchObject({ status: 'unknown', confidence: 'name_only' })
})

const namedBy = (cna: Record<string, unknown>[]) =>
  readContainers({ affected: cna }, []).named?.map(({ vendor, product }) => `${vendor}:${product}`)

test('CVE-2023-1523, snapd: a record that names nothing but fixes is about what they fix, by its name', () => {
  const snapd = anEntry('Canonical Ltd.', 'snapd', { version: '2.59.5', status: 'unaffected' })
  expect(namedBy([snapd])).toEqual(['canonical:snapd'])
  expect(namedBy([snapd, anEntry('Acme', 'Widget', aRange('0', '2.0'))])).toBeUndefined()
})

test('CVE-2023-3603, libssh: a product unaffected whatever its version is not the subject of a record', () => {
  const libssh = { vendor: 'n/a', product: 'libssh', defaultStatus: 'affected' }
  const rhel = { vendor: 'Red Hat', product: 'Red Hat Enterprise Linux 9', defaultStatus: 'unaffected' }
  const record = readContainers({ affected: [libssh, rhel] }, [])
  expect(record.named).toBeUndefined()
  expect(record.guesses).toContainEqual({ vendor: 'libssh', product: 'libssh' })
})

test('CVE-2024-6387, Ceph Storage: a release that a CPE name tells is affected, and nothing is said of the others', () => {
  const ceph = (release: string, defaultStatus: string) => ({
    vendor: 'Red Hat',
    product: `Red Hat Ceph Storage ${release}`,
    cpes: [`cpe:/a:redhat:ceph_storage:${release}`],
    defaultStatus,
  })
  const [storage] = affectedBy([ceph('5', 'unaffected'), ceph('6', 'affected'), ceph('7', 'affected')]) ?? []
  expect(storage?.ranges).toEqual(['a:6', 'a:7'])
  const byCve = { source: 'cve', ranges: storage?.ranges ?? [] }
  const byRedhat = { source: 'redhat', ranges: ['a:6', 'a:7', unaffectedRelease('5'), others] }
  const judge = (version: string) => {
    const { status, is_disputed } = judgeStatements(version, [byCve, byRedhat])
    return `${status}${is_disputed ? ', disputed' : ''}`
  }
  expect(['5', '6', '8'].map(judge)).toEqual(['not_affected', 'affected', 'unknown'])
})

const unaffectedRelease = (release: string): VersionRange => ({
  order: 'loose',
  is: `${release}.*`,
  status: 'unaffected',
})
const others: VersionRange = { order: 'loose', status: 'unknown' }

test('CVE-2023-5675, Quarkus: a fix of one branch is none of the next', () => {
  const quarkus = (release: string, fix: string) =>
    anEntry(
      'Red Hat',
      'Quarkus',
      { version: fix, status: 'unaffected', lessThan: '*', versionType: 'custom' },
      { cpes: [`cpe:/a:redhat:quarkus:${release}`], defaultStatus: 'affected' },
    )
  const [named] =
    affectedBy([quarkus('3.2', '3.2.9.Final-redhat-00003'), quarkus('2.13', '2.13.9.Final-redhat-00003')]) ?? []
  const judge = (version: string) => judgeStatements(version, [{ source: 'cve', ranges: named?.ranges ?? [] }])
  const versions = ['2.13.8', '2.13.9.Final-redhat-00003', '2.16.0', '3.0', '3.2', '3.2.8.Final', '3.2.10.Final', '3.5']
  expect(versions.map((version) => judge(version).status)).toEqual(
    'affected not_affected not_affected affected affected affected not_affected not_affected'.split(' '),
  )
  expect(judge('3.2').fixed_in).toBe('3.2.9.Final-redhat-00003')
})

const before = (lessThan: string) => [{ status: 'affected', version: '0', lessThan, versionType: 'semver' }]

test('CVE-2024-0855, Spiffy Calendar: a statement of the CNA without a vendor is of the one product that CISA names', () => {
  const cna = [
    { vendor: 'Unknown', product: 'Spiffy Calendar', defaultStatus: 'unaffected', versions: before('4.9.9') },
  ]
  const cisa = {
    vendor: 'spiffyplugins',
    product: 'spiffy_calendar',
    cpes: ['cpe:2.3:a:spiffyplugins:spiffy_calendar:*:*:*:*:*:wordpress:*:*'],
    defaultStatus: 'unaffected',
    versions: before('4.4.9'),
  }
  const [product, ...more] = affectedBy(cna, [cisa]) ?? []
  expect(more).toEqual([])
  const judge = (version: string) => judgeStatements(version, [{ source: 'cve', ranges: product?.ranges ?? [] }]).status
  expect(['4.9.8', '4.9.9'].map(judge)).toEqual(['affected', 'not_affected'])
  const other = { ...cisa, cpes: ['cpe:2.3:a:other:other:*:*:*:*:*:*:*:*'] }
  expect(affectedBy(cna, [cisa, other])?.find(({ vendor }) => vendor === 'other')?.ranges).not.toContainEqual(
    expect.objectContaining({ lt: '4.9.9' }),
  )
})

test.each([
  ['CVE-2024-4671: who numbers its own product knows its name', 'Chrome', 'Google', '360', ['360', 'google']],
  ['a name that others give follows that of CISA', 'Patchstack', 'Google', '360', ['360']],
  ['one vendor, two spellings', 'NodeJS', 'NodeJS', 'node.js', ['node.js']],
])('%s', (_, assignerShortName, vendor, cisa, vendors) => {
  const cna = [{ vendor, product: 'Chrome', versions: before('124.0.6367.201') }]
  const adp = { vendor: cisa, product: 'chrome', cpes: [`cpe:2.3:a:${cisa}:chrome:12:*:*:*:*:*:*:*`] }
  const raw = aCve5('CVE-2024-4671', { affected: cna }, [aCisaAdp({ affected: [{ ...adp, versions: before('124') }] })])
  const record = readCve5({ ...raw, cveMetadata: { ...raw.cveMetadata, assignerShortName } })
  expect(record.affected?.map((product) => product.vendor).toSorted()).toEqual(vendors)
})

const upTo = (lessThanOrEqual: string, version = '0', versionType = 'semver') => ({
  version,
  lessThanOrEqual,
  status: 'affected',
  versionType,
})
eachCase({
  'CVE-2024-20726, Acrobat Reader: the words end the 2020 line, the list only the newest one': [
    'Acrobat Reader versions 20.005.30524, 20.005.30539, 23.008.20470 and earlier are affected.',
    anEntry('Adobe', 'Acrobat Reader', upTo('23.008.20470'), { defaultStatus: 'affected' }),
    {
      affected: '20.005.30524 20.005.30539 20.013.20074 23.008.20470',
      unknown: '20.005.30574 20.005.30680 23.008.20533',
    },
  ],
  'made by hand: a list of another program, and a branch whose own range goes on': [
    'Foo 1.2.3, 2.0.1 and earlier, and Widget are affected.',
    anEntry('Acme', 'Widget', upTo('3.0.0'), { defaultStatus: 'unaffected' }),
    { affected: '1.2.3 1.2.4 3.0.0', not_affected: '3.0.1' },
  ],
  'CVE-2023-44343, InDesign: its capitals before the number': [
    'Adobe InDesign versions ID18.5 (and earlier) and ID17.4.2 (and earlier) are affected by an out-of-bounds read.',
    anEntry('Adobe', 'InDesign Desktop', upTo('ID18.5'), { defaultStatus: 'affected' }),
    { affected: '18.5 17.4.2 ID18.5 ID18.4', unknown: '17.4.3 18.5.1 ID18.6' },
  ],
  'CVE-2024-1309, Niagara: its name before the number': [
    'This issue affects Niagara Framework: before Niagara AX 3.8.1, before Niagara 4.1.',
    anEntry('Honeywell', 'Niagara Framework', aRange('0', 'Niagara 4.1', 'semver'), { defaultStatus: 'unaffected' }),
    { affected: '4.0', not_affected: '4.1' },
  ],
  'CVE-2023-44126, LG V60: what it runs before the number of one bound': [
    'The vulnerability is that the Call management app patched by LG sends a lot of LG-owned implicit broadcasts.',
    anEntry('LG Electronics', 'LG V60 Thin Q 5G(LMV600VM)', upTo('13', 'Android 8', 'custom'), {
      defaultStatus: 'unaffected',
    }),
    { affected: '8 13 Android-13', not_affected: '7 14 Android-14' },
  ],
  'CVE-2024-8980, Liferay: the number of a fix pack is no version': [
    'A flaw.',
    anEntry('Liferay', 'Portal', aRange('6.2.0', 'portal-173'), { defaultStatus: 'unaffected' }),
    { unknown: '7.4.3 6.2.0' },
  ],
})('%s', (summary, entry, expected) => {
  const descriptions = [{ lang: 'en', value: summary }]
  const [product] = readContainers({ descriptions, affected: [entry] }, []).affected ?? []
  expectStatuses('cve', product?.ranges ?? [], expected)
})

test('CVE-2024-3913, CHARX SEC-3000: signs between words and the number of an article make no other product', () => {
  const namedBeside = (product: string, cpe: string) => {
    const cisa = anEntry('phoenixcontact', 'charx', aRange('0', '1.7.0'), { cpes: [`cpe:2.3:${cpe}:*:*:*:*:*:*:*:*`] })
    const cna = anEntry('Phoenix Contact', product, aRange('0', '1.7.0', 'semver'))
    return affectedBy([cna, { ...cna, product: 'Other' }], [cisa])?.map((one) => one.product)
  }
  for (const product of ['Widget-Box 3000 (1139022)', 'Widgetbox 3000'])
    expect(namedBeside(product, 'h:phoenixcontact:widget_box_3000')).toEqual([
      toCpeWord(product),
      'widget_box_3000',
      'other',
    ])
  expect(namedBeside('Widget-Box', 'h:acme:widget_box')).toEqual(['widget-box', 'other', 'widget_box'])
  expect(namedBeside('Widget-Box rev 2', 'h:phoenixcontact:widget_box')).toEqual([
    'widget-box_rev_2',
    'other',
    'widget_box',
  ])
  expect(namedBeside('CHARX SEC-3000', 'h:phoenixcontact:charx_sec_3000')).toEqual(['charx_sec_3000', 'other'])
})
