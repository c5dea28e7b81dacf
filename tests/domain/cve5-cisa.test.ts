import { expect, test } from 'vitest'
import { readCve5Affected } from '../../worker/feeds/cve5/affected'
import { aCisaAdp, anEntry, aRange } from '../support/cve5'
import { readContainers } from '../support/cve5-read'
import { expectStatuses } from '../support/verdicts'

// CISA's additions to a record of the CVE list, and the CNA's text beside them.

const affected = (version: string) => ({ version, status: 'affected' as const })

test('CVE-2024-3912, DSL-N16P: an asterisk beside what CISA itself says elsewhere is meant', () => {
  const [n16p] = [
    ...readCve5Affected(
      [{ vendor: 'ASUS', product: 'DSL-N16P', defaultStatus: 'unaffected', versions: [affected('All')] }],
      [
        {
          cpes: ['cpe:2.3:o:asus:dsl-n16p_firmware:-:*:*:*:*:*:*:*'],
          defaultStatus: 'unaffected',
          versions: [{ ...affected('0'), lessThan: '1.1.2.3_999', versionType: 'custom' }],
        },
        {
          cpes: ['cpe:2.3:o:asus:dsl-n16p_firmware:-:*:*:*:*:*:*:*', 'cpe:2.3:o:asus:dsl-n16_firmware:-:*:*:*:*:*:*:*'],
          defaultStatus: 'unknown',
          versions: [{ ...affected('0'), lessThanOrEqual: '*', versionType: 'custom' }],
        },
      ],
    ),
  ].filter(({ product }) => product === 'dsl-n16p_firmware')
  expectStatuses('cve', n16p?.ranges ?? [], { affected: '1.1.2.3_999 1.1.2.3_500' })
})

test('CVE-2024-22354, Liberty: CPE names that stand where versions belong name the product', () => {
  const liberty = (version: string) =>
    affected(`cpe:2.3:a:ibm:websphere_application_server:${version}:*:*:*:liberty:*:*:*`)
  const [server] = readCve5Affected(
    [
      {
        vendor: 'IBM',
        product: 'WebSphere Application Server',
        cpes: ['cpe:2.3:a:ibm:websphere_application_server:8.5:*:*:*:*:*:*:*'],
        defaultStatus: 'unaffected',
        versions: [affected('8.5, 9.0')],
      },
      {
        vendor: 'IBM',
        product: 'WebSphere Application Server Liberty',
        defaultStatus: 'unaffected',
        versions: [
          { ...affected('17.0.0.3'), lessThanOrEqual: '24.0.0.5', versionType: 'semver' },
          liberty('17.0.0.3'),
          liberty('24.0.0.5'),
        ],
      },
    ],
    [],
  )
  expect(server).toMatchObject({ vendor: 'ibm', product: 'websphere_application_server' })
  expectStatuses('cve', server?.ranges ?? [], {
    affected: '8.5 9.0 17.0.0.3 20.0.0.1 24.0.0.5',
    not_affected: '24.0.0.6 16.0',
  })
})

test('CVE-2024-32842, Endpoint Manager: CISA takes nothing back that the CNA calls affected', () => {
  const ends = (version: string) => ({ ...affected(version), lessThan: version, versionType: 'custom' })
  const unaffected = (version: string, lessThan: string) => ({ version, lessThan, status: 'unaffected' as const })
  const [manager] = readCve5Affected(
    [
      {
        vendor: 'Ivanti',
        product: 'EPM',
        defaultStatus: 'unaffected',
        versions: [ends('2024 September Security Update'), ends('2022 SU6')],
      },
    ],
    [
      {
        vendor: 'ivanti',
        product: 'endpoint_manager',
        cpes: ['cpe:2.3:a:ivanti:endpoint_manager:*:*:*:*:*:*:*:*'],
        defaultStatus: 'affected',
        versions: [unaffected('0', '2022_su6'), unaffected('2024', '2024_september_security_update')],
      },
    ],
  )
  expectStatuses('cve', manager?.ranges ?? [], {
    affected: '2022_su5 2024',
    not_affected: '2024_september_security_update',
  })
})

test('CVE-2024-23467, Access Rights Manager: versions that CISA calls unaffected behind the ranges of the CNA stay so', () => {
  const [manager] = readCve5Affected(
    [
      {
        vendor: 'SolarWinds',
        product: 'Access Rights Manager',
        defaultStatus: 'affected',
        versions: [{ ...affected('previous versions'), lessThanOrEqual: '2023.2.4' }],
      },
    ],
    [
      {
        cpes: ['cpe:2.3:a:solarwinds:access_rights_manager:*:*:*:*:*:*:*:*'],
        defaultStatus: 'unknown',
        versions: [
          { ...affected('0'), lessThanOrEqual: '2023.2.4' },
          { version: '2024.3', status: 'unaffected' },
        ],
      },
    ],
  )
  expectStatuses('cve', manager?.ranges ?? [], { affected: '2023.2.4', not_affected: '2024.3', unknown: '2024.2' })
})

test('CVE-2024-39479, Linux: no number lies within a range of commits', () => {
  const commits = { ...affected('1da177e4c3f4'), lessThan: 'cfa73607eb21', versionType: 'git' }
  const [kernel] = readCve5Affected(
    [{ vendor: 'Linux', product: 'Linux', defaultStatus: 'unaffected', versions: [commits] }],
    [
      {
        vendor: 'linux',
        product: 'linux_kernel',
        cpes: ['cpe:2.3:o:linux:linux_kernel:-:*:*:*:*:*:*:*'],
        defaultStatus: 'unknown',
        versions: [commits, { version: '6.10-rc1', status: 'unaffected' }],
      },
    ],
  )
  expectStatuses('cve', kernel?.ranges ?? [], { not_affected: '6.10-rc1' })
})

const ofBranch = (product: string, lessThan: string) => ({
  vendor: 'acme',
  product,
  versions: [{ ...affected('unspecified'), lessThan }],
})

test.each<[string, string, string[], Record<string, string>]>([
  ['CVE-2023-4046, Firefox ESR', 'mozilla', ['102.14', '115.1'], { affected: '102.13 115.0', not_affected: '102.14' }],
  ['CVE-2023-23513, macOS: 12.6 may mean 12.6.3', 'apple', ['13.2', '12.6'], { affected: '12.5', unknown: '12.6.1' }],
  ['of others each may be another product', 'acme', ['102.14', '115.1'], { affected: '102.13 102.14 115.0' }],
])('%s: ends in several elements are those of their branches', (_, assigner, ends, expected) => {
  const [product] = readCve5Affected(
    ends.map((end) => ofBranch('widget', end)),
    [],
    assigner,
  )
  expectStatuses('cve', product?.ranges ?? [], expected)
})

const unnamed = { vendor: 'n/a', product: 'n/a', versions: [affected('n/a')] }
const [own, more] = [anEntry('Acme', 'Widget', aRange('0', '2.0')), anEntry('Acme', 'Gadget', aRange('0', '3.0'))]

test.each<[what: string, cna: object[], adp: object[], title: string, added: string[]]>([
  ['alone', [unnamed], [own], 'CISA-ADP', ['widget']],
  ['of another product', [own], [more], 'CISA-ADP', ['gadget']],
  ['once more', [own], [own], 'CISA-ADP', []],
  ['beside those of the CNA', [own], [anEntry('Acme', 'Widget', aRange('2.1', '2.2'))], 'CISA-ADP', []],
  ['where the CNA calls all affected', [anEntry('Acme', 'Widget', affected('*'))], [own], 'CISA-ADP', ['widget']],
  ['and names no version', [unnamed], [anEntry('Acme', 'Widget', affected('*'))], 'CISA-ADP', []],
  ['but is somebody else', [unnamed], [own], 'Acme-ADP', []],
])('a statement of CISA %s is told apart', (_, cna, adp, shortName, added) => {
  const record = readContainers({ affected: cna }, [aCisaAdp({ affected: adp, providerMetadata: { shortName } })])
  expect(record.affected?.flatMap(({ product, by }) => (by === 'cisa' ? product : []))).toEqual(added)
})
