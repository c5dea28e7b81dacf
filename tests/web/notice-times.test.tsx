import { notificationsStore } from '@mantine/notifications'
import { fireEvent, screen } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { globalAdmin, signInAs } from './support/account'
import { expectNotice, openAtVuln, forbiddenAnswer, pressVulnToggle } from './support/at-vuln'
import { press } from './support/forms'
import { aPage, aProduct, aVulnRow } from './support/rows'
import type { fakeServer } from './support/server'

type Answers = Parameters<typeof fakeServer>[0]

const page = '/vulns/12'

beforeEach(() => signInAs(globalAdmin))

const dates = { updated_at: '2026-11-18T06:30:00Z', monitored: false }
const pressFirst = async (name: RegExp) =>
  fireEvent.click((await screen.findAllByRole('button', { name }))[0] ?? document.body)
async function monitorSelected() {
  fireEvent.click(await screen.findByRole('checkbox', { name: /^Select CVE/ }))
  press('Monitor')
}
const failure = 'Unable to change the monitoring status'

// S2, section 8.
test.each<[string, ms: number, address: string, Answers, act: () => Promise<unknown>, message: string]>([
  [
    'vendor',
    2_000,
    '/vendors',
    {
      'GET /api/kb/vendors/': () => ({
        body: aPage([{ id: 3, name: 'f5', products_count: 2, vulns_count: 42, ...dates }]),
      }),
      'POST /api/monitor/vendor/toggle': forbiddenAnswer,
    },
    () => pressFirst(/^No: monitor/),
    failure,
  ],
  [
    'product',
    2_000,
    '/products',
    {
      'GET /api/kb/products/': () => ({ body: aPage([aProduct()]) }),
      'POST /api/monitor/product/toggle': forbiddenAnswer,
    },
    () => pressFirst(/^No: monitor/),
    failure,
  ],
  [
    'package',
    2_000,
    '/packages',
    {
      'GET /api/kb/packages/': () => ({
        body: aPage([{ id: 9, type: 'npm', name: 'widget', purl: 'pkg:npm/widget', vulns_cnt: 1, ...dates }]),
      }),
      'POST /api/monitor/package/toggle': forbiddenAnswer,
    },
    () => pressFirst(/^No: monitor/),
    failure,
  ],
  [
    'bulletin',
    3_000,
    '/kb/bulletins',
    {
      'GET /api/kb/bulletins': () => ({
        body: aPage([
          {
            id: 5,
            publicid: 'ICSA-26-001-01',
            vendor: 'Acme',
            title: 'Acme Widget',
            severity: null,
            impact: null,
            published: '2026-11-10T06:00:00Z',
            monitored: false,
          },
        ]),
      }),
      'PUT /api/kb/bulletins': forbiddenAnswer,
    },
    () => pressFirst(/^No: monitor/),
    failure,
  ],
  [
    'CVE',
    3_000,
    '/kb/cves',
    {
      'GET /api/kb/cve': () => ({ body: aPage([{ ...aVulnRow(), cve_id: 'CVE-2026-10012' }]) }),
      'POST /api/vulns/toggle/bulk': forbiddenAnswer,
    },
    monitorSelected,
    failure,
  ],
  [
    'vulnerability',
    3_000,
    page,
    { 'POST /api/vulns/toggle/bulk': forbiddenAnswer },
    pressVulnToggle,
    'Unable to change the vulnerability monitoring status',
  ],
])('the failed toggle of a %s is shown for %i ms', async (_, ms, address, answers, act, message) => {
  openAtVuln(address, answers)
  await act()
  await expectNotice(message)
  const notice = notificationsStore.getState().notifications.find(({ title }) => title === message)
  expect(notice?.autoClose).toBe(ms)
})
