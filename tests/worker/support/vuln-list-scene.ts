import { firstLoad } from './load-once'
import { fakeOrigins, originSettings } from './origins'
import { aCve, aKevEntry, affecting, aMatch, aMetric } from '../../support/records'
import { aWorld } from './world'

export const [apache, thing, bare, rejected, nginx] = [10_001, 10_002, 10_003, 10_004, 10_005]
export const allListed = [apache, thing, bare, nginx]

/** Four vulnerabilities that differ in whatever a list filters by, and a rejected one. */
export async function aVulnListScene() {
  const origins = fakeOrigins()
  const world = aWorld(originSettings)
  origins.files.set(2024, [
    aCve('CVE-2024-10001', {
      published: '2024-01-01T00:00:00.000',
      descriptions: [{ lang: 'en', value: 'A remote code execution in Apache HTTP Server.' }],
      metrics: {
        cvssMetricV2: [aMetric('2.0', 9.3, 'AV:N/AC:M/Au:N/C:C/I:C/A:C')],
        cvssMetricV31: [aMetric('3.1', 9.8, 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H')],
      },
      configurations: affecting(
        aMatch('apache', 'http_server', { versionStartIncluding: '2.4.0', versionEndExcluding: '2.4.50' }),
      ),
    }),
    aCve('CVE-2024-10002', {
      published: '2024-02-01T00:00:00.000',
      descriptions: [{ lang: 'en', value: 'A code remote of Thing, a 50% off C++ "parser".' }],
      metrics: {
        cvssMetricV2: [aMetric('2.0', 4.3, 'AV:L/AC:H/Au:S/C:P/I:N/A:N')],
        cvssMetricV31: [aMetric('3.1', 5.3, 'CVSS:3.1/AV:P/AC:H/PR:L/UI:N/S:U/C:L/I:N/A:N')],
      },
      weaknesses: [{ source: 'nvd@nist.gov', type: 'Primary', description: [{ lang: 'en', value: 'CWE-787' }] }],
      configurations: affecting(aMatch('other', 'thing'), aMatch('other', 'thing_two')),
    }),
    aCve('CVE-2024-10003', {
      published: '2024-03-01T00:00:00.000',
      descriptions: [{ lang: 'en', value: 'Not analysed yet.' }],
      metrics: {},
      weaknesses: [],
      configurations: [],
      references: [],
    }),
    aCve('CVE-2024-10004', { vulnStatus: 'Rejected', descriptions: [{ lang: 'en', value: 'Rejected reason: none.' }] }),
    aCve('CVE-2024-10005', {
      published: '2024-05-01T00:00:00.000',
      descriptions: [{ lang: 'en', value: 'A heap overflow in nginx.' }],
      metrics: { cvssMetricV31: [aMetric('3.1', 7.5, 'CVSS:3.1/AV:A/AC:L/PR:H/UI:N/S:U/C:N/I:N/A:H')] },
      configurations: affecting(aMatch('f5', 'nginx')),
      references: [{ url: 'https://acme.example/poc', tags: ['Exploit'] }],
    }),
  ])
  origins.kev = [aKevEntry('CVE-2024-10002')]
  origins.epss.rows = [
    ['CVE-2024-10001', 0.5, 0.9],
    ['CVE-2024-10005', 0.00042, 0.1],
  ]
  await firstLoad(world, origins)

  const restore = () => origins.restore()

  return { origins, world, restore }
}
