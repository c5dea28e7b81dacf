import { firstLoad } from './load-once'
import { fakeOrigins, originSettings } from './origins'
import { aCve, aKevEntry, affecting, aMatch, aMetric } from '../../support/records'
import { aWorld } from './world'

export const allVulns = [10_001, 10_002, 10_003, 10_005, 77_777]
/** Four vulnerabilities, of which two are known to be exploited, and one that only KEV knows. */
export async function aVulnsScene() {
  const origins = fakeOrigins()
  const world = aWorld(originSettings)
  const products = ['widget', 'gadget', 'widget_server', 'nginx', 'mod_ssl', 'proxy', 'cache', 'widget']
  origins.files.set(2024, [
    aCve('CVE-2024-10001', { published: '2024-01-01T00:00:00.000' }),
    aCve('CVE-2024-10002', {
      published: '2024-02-01T00:00:00.000',
      descriptions: [{ lang: 'en', value: 'A use after free in the C++ parser of Thing, known as "Café".' }],
      metrics: {
        cvssMetricV2: [aMetric('2.0', 4.3, 'AV:N/AC:M/Au:N/C:P/I:N/A:N')],
        cvssMetricV31: [aMetric('3.1', 5.3, 'CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:U/C:L/I:L/A:L')],
      },
      configurations: affecting(aMatch('other', 'thing')),
    }),
    aCve('CVE-2024-10003', {
      published: '2024-03-01T00:00:00.000',
      descriptions: [{ lang: 'en', value: 'Not analysed yet.' }],
      metrics: {},
      configurations: [],
      references: [],
    }),
    aCve('CVE-2024-10004', {
      vulnStatus: 'Rejected',
      descriptions: [{ lang: 'en', value: 'Rejected reason: a parser is no flaw.' }],
    }),
    aCve('CVE-2024-10005', {
      published: '2024-05-01T00:00:00.000',
      descriptions: [{ lang: 'en', value: 'Seven products share a heap overflow.' }],
      configurations: affecting(...products.map((name) => aMatch('umbrella', name))),
      references: [{ url: 'https://acme.example/poc', tags: ['Exploit'] }],
    }),
  ])
  origins.kev = [aKevEntry('CVE-2024-10002'), aKevEntry('CVE-2026-77777')]
  origins.epss.rows = [
    ['CVE-2024-10001', 0.5, 0.9],
    ['CVE-2024-10005', 0.00042, 0.1],
  ]
  await firstLoad(world, origins)

  const restore = () => origins.restore()

  return { origins, world, restore }
}
