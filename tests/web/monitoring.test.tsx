import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { InventoryPage } from '../../web/inventories/inventory-page'
import { globalAdmin, signInAs } from './support/account'
import { atHome, refusedWith } from './support/answers'
import { renderRoutes } from './support/app'
import { expectNotice } from './support/at-vuln'
import { fill, press } from './support/forms'
import { aPage } from './support/rows'
import { fakeServer } from './support/server'
import { visit } from './support/visit'
beforeEach(() => signInAs(globalAdmin))

const urgent = { exploited: 2, affecting: 1, overdue: 3, overdue_is_exact: true }
const concerning = { count: 1_000, is_exact: false }
const empty = { end_of_life: [], newest: null, worst: null, is_pending: false, open: urgent, concerning }
const item = { id: 5, name: 'widget', vendor: 'acme', groups: ['dmz'], versions: ['1.0'], ...empty }
const stats = {
  vulns: { count: 12, exploitable: 3, remote: 4 },
  metadata: { count: 2, exploits: 1, threats: 1 },
  monitored: { count: 1, vendors: 0, products: 1, packages: 0, vulnerabilities: 0, inventories: 0 },
}
const failed = () => refusedWith(500, 'error', 'No')
const atMonitoring = {
  ...atHome,
  'GET /api/vulns/stats/monitored': () => ({ body: stats }),
  'GET /api/monitor/groups': () => ({ body: ['dmz'] }),
  'GET /api/monitor/awaited': () => ({ body: aPage([]) }),
  ...Object.fromEntries(
    ['vendors', 'products', 'packages', 'vulns'].map((kind) => [
      `GET /api/monitor/items/${kind}`,
      () => ({ body: aPage(kind === 'products' ? [item] : []) }),
    ]),
  ),
}
type Answers = Parameters<typeof fakeServer>[0]
function open(address: string, answers: Answers = {}) {
  const server = fakeServer({ ...atMonitoring, ...answers })
  visit(address)
  return server
}

test.each([
  ['vendors', 'unable to get vendors'],
  ['products', 'unable to get products'],
  ['packages', 'Unable to get packages'],
  ['vulns', 'unable to get vulns'],
])('a list of monitored %s that cannot be read says "%s"', async (kind, message) => {
  open(`/monitoring?tab=${kind}`, { [`GET /api/monitor/items/${kind}`]: failed })
  await expectNotice(message)
})
test('numbers that cannot be read are told', async () => {
  open('/monitoring', { 'GET /api/vulns/stats/monitored': failed })
  await expectNotice('Unable to get stats.')
})

test('it opens where something is monitored, and each tab says how many it holds', async () => {
  open('/monitoring')
  expect(await screen.findByRole('tab', { name: /^Products\s*1$/, selected: true })).toBeTruthy()
  for (const name of ['2 exploited, 1 surely or likely', '3 overdue']) await screen.findByRole('link', { name })
  fireEvent.click(screen.getByRole('tab', { name: /^Vendors\s*0$/ }))
  expect(await screen.findByText('No monitored vendors')).toBeTruthy()
})

test('each number leads to the list that it counts', async () => {
  open('/monitoring')
  const lead = async (name: string) => (await screen.findByRole('link', { name })).getAttribute('href')
  expect([
    await lead('3 exploitable'),
    await lead('4 remote'),
    await lead('1 exploit'),
    await lead('1 threat'),
  ]).toEqual([
    '/vulns?monitored=true&is_exploitable=true',
    '/vulns?monitored=true&access_vector=NETWORK',
    '/exploits?monitored=true',
    '/threats?monitored=true',
  ])
  expect(await lead('12 Vulnerabilities that concern you')).toBe('/vulns?monitored=true')
  expect(await lead('1 product')).toBe('/monitoring?tab=products')
  expect(await lead('1,000+ vulnerabilities')).toBe('/vulns?product=5&monitored=true')
})

test.each([
  ['Monitored assets successfuly exported', () => ({ body: 'type,value,groups' })],
  ['Unable to export monitored assets', failed],
])('an export is being prepared, and ends with "%s"', async (message, answer) => {
  open('/monitoring', { 'GET /api/monitor/export/all': answer })
  await screen.findByRole('heading', { name: 'Monitoring' })
  press('Export')
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Everything as CSV' }))
  await expectNotice('Preparing export...')
  await expectNotice(message)
})

const counts = { added: 1, changed: 0, already: 0, removed: 0, awaited: 0 }
const tried = { status: 'success', ...counts, unknown: [], lines: [], repeated: [], unlisted: [] }
test.each([
  ['Monitored assets successfuly uploaded', () => ({ body: { ...tried, dry_run: false } })],
  ['Unable to import monitored assets', failed],
])('a list is tried, imported, and ends with "%s"', async (message, answer) => {
  let asked = 0
  open('/monitoring', {
    'POST /api/monitor/import': () => (asked++ ? answer() : { body: { ...tried, dry_run: true } }),
  })
  await screen.findByRole('heading', { name: 'Monitoring' })
  press('Import')
  const dialog = await screen.findByRole('dialog', { name: 'Import what you monitor' })
  const input = dialog.querySelector('input[type=file]') ?? document.body
  fireEvent.change(input, { target: { files: [new File(['type,value\nvendor,acme'], 'list.csv')] } })
  expect(await within(dialog).findByText('1 item added')).toBeTruthy()
  fireEvent.click(within(dialog).getByRole('button', { name: 'Import' }))
  await expectNotice('Importing...')
  await expectNotice(message)
})

test('a list that is tried says line by line what it does, and what goes without a line', async () => {
  const lines = [
    { line: 2, type: 'vendor', value: 'acme', action: 'already' },
    { line: 3, type: 'vendor', value: 'globex', action: 'add' },
  ]
  const unlisted = [{ type: 'vendor', value: 'initech' }]
  const repeated = [{ line: 4, type: 'vendor', value: 'Acme', first: 2 }]
  const body = { ...tried, already: 1, removed: 1, lines, unlisted, repeated }
  open('/monitoring', { 'POST /api/monitor/import': () => ({ body: { ...body, dry_run: true } }) })
  await screen.findByRole('heading', { name: 'Monitoring' })
  press('Import')
  const dialog = await screen.findByRole('dialog', { name: 'Import what you monitor' })
  const input = dialog.querySelector('input[type=file]') ?? document.body
  fireEvent.change(input, { target: { files: [new File(['type,value\nvendor,acme'], 'list.csv')] } })
  const told = async (name: string) =>
    within(await within(dialog).findByRole('list', { name }))
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent)
  expect(await told('What changes')).toEqual([
    'Line 3: vendor globexis added',
    'vendor initechis removed: the list does not name it',
  ])
  expect(await told('Already monitored')).toEqual(['Line 2: vendor acmeis already monitored'])
  expect(await told('Named twice')).toEqual(['Line 4: vendor Acmedoes nothing: an earlier line names it'])
})

test.each([
  ['Monitoring status successfuly updated.', () => ({ body: { status: 'success' } })],
  ['Unable to change the monitoring status', failed],
])('a user who stops monitoring hears "%s"', async (message, answer) => {
  open('/monitoring?tab=products', { 'POST /api/monitor/items': answer })
  fireEvent.click(await screen.findByRole('button', { name: /Stop monitoring/ }))
  await expectNotice(message)
})

const proposal = { status: 'not_affected', justification: 'component_not_present', note: 'Not built in', fix: null }
const finding = {
  vuln_id: 12,
  cveid: 'CVE-2026-10012',
  summary: 'A flaw',
  component_id: 3,
  component: 'log4j-core',
  version: '2.14.1',
  purl: null,
  path: ['shop 1.0'],
  scope: 'required',
  status: 'affected',
  confidence: 'confirmed',
  source: 'osv',
  range: '< 2.15.0',
  fixed_in: '2.15.0',
  first_unlisted: null,
  is_disputed: false,
  score: 90,
  cvss3: 10,
  epss: 0.9,
  kev: true,
  ssvc: null,
  found_at: '2026-11-20T06:30:00Z',
  decision: null,
  stated: null,
  proposals: [
    {
      ...proposal,
      author: 'Acme PSIRT',
      owner: null,
      expires_at: null,
      decided_at: '2026-11-20T06:30:00Z',
      by: null,
      dismissed_at: null as string | null,
      dismissed_by: null as string | null,
    },
  ],
}
const path = '/monitoring/inventories/:name'
const inventory = {
  id: 1,
  name: 'shop',
  format: 'CycloneDX 1.6 JSON',
  subject: null,
  components_count: 1,
  unmatched_count: 0,
  open: { critical: 1, high: 0, medium: 0, low: 0, unscored: 0 },
  unknown: 0,
  kev: 1,
  created_at: '2026-11-20T06:30:00Z',
  updated_at: '2026-11-20T06:30:00Z',
  days: [{ day: '2026-11-20', critical: 1, high: 0, medium: 0, low: 0, unscored: 0 }],
}

test('a proposal of a supplier shows its author and is taken over as a decision with its reason', async () => {
  const server = fakeServer({
    'GET /api/inventories/shop': () => ({ body: inventory }),
    'GET /api/inventories/shop/findings': () => ({ body: aPage([finding]) }),
    'POST /api/decisions': () => ({ body: { results: [{ set: [12], skipped: [], refusal: null, undo: 'it' }] } }),
  })
  renderRoutes([{ path, element: <InventoryPage /> }], '/monitoring/inventories/shop?tab=findings')
  expect(await screen.findByText('Acme PSIRT proposes: not affected')).toBeTruthy()
  press('Decide on CVE-2026-10012 in log4j-core')
  const dialog = await screen.findByRole('dialog')
  expect(within(dialog).getByText(/The component is not present/)).toBeTruthy()
  fireEvent.click(within(dialog).getByRole('button', { name: 'Take over' }))
  fill('Owner', 'Platform')
  fireEvent.click(within(dialog).getByRole('button', { name: 'Decide' }))
  await expectNotice('Decision saved')
  const said = { status: 'not_affected', justification: 'component_not_present' }
  const decision = { ...said, note: 'Acme PSIRT says so: Not built in', owner: 'Platform' }
  const decisions = [{ scope: 'component', inventory: 'shop', findings: [{ vuln_id: 12, component_id: 3 }], decision }]
  await waitFor(() => expect(server.to('/api/decisions')[0]?.body).toMatchObject({ decisions }))
})

test('a proposal is dismissed, says by whom, and comes back by the undo', async () => {
  const said = finding.proposals[0]
  const unneeded = { status: 'not_interesting', justification: 'component_not_present', note: 'Aside' }
  let dismissed = false
  const server = fakeServer({
    'GET /api/inventories/shop': () => ({ body: inventory }),
    'GET /api/inventories/shop/findings': () => ({
      body: aPage([
        {
          ...finding,
          proposals: [{ ...said, ...(dismissed && { dismissed_at: '2026-11-21T06:30:00Z', dismissed_by: 'ada' }) }],
        },
        { ...finding, component_id: 4, component: 'log4j-api', proposals: [], stated: unneeded },
        { ...finding, component_id: 5, component: 'old', proposals: [], stated: { status: 'fixed' } },
      ]),
    }),
    'POST /api/inventories/shop/proposals/dismiss': () => {
      dismissed = !dismissed
      return { body: { status: 'success', changed: 1 } }
    },
  })
  renderRoutes([{ path, element: <InventoryPage /> }], '/monitoring/inventories/shop?tab=findings')
  expect(await screen.findByText('Acme PSIRT proposes: not affected')).toBeTruthy()
  for (const text of ['The component is not present; Aside', 'Fixed, by the status of the vulnerability'])
    expect(screen.getByText(text)).toBeTruthy()
  press('Decide on CVE-2026-10012 in log4j-core')
  fireEvent.click(await screen.findByRole('button', { name: 'Dismiss' }))
  expect(await screen.findByText(/Dismissed by ada on/)).toBeTruthy()
  fireEvent.click(await screen.findByRole('button', { name: 'Undo' }))
  await expectNotice('The proposal is back')
  expect(await screen.findByRole('button', { name: 'Dismiss' })).toBeTruthy()
  expect(server.to('/api/inventories/shop/proposals/dismiss').map(({ body }) => body)).toMatchObject([
    { author: 'Acme PSIRT', dismissed: true, findings: [{ vuln_id: 12, component_id: 3 }] },
    { author: 'Acme PSIRT', dismissed: false },
  ])
})

test('a vulnerability stands once with the worst verdict and its components, which lead to their findings', async () => {
  const { vuln_id, cveid, summary, score, cvss3, epss, kev, ssvc, found_at } = finding
  const part = { component_id: 3, component: 'log4j-core', version: '2.14.1', fixed_in: '2.15.0' }
  fakeServer({
    'GET /api/inventories/shop': () => ({ body: inventory }),
    'GET /api/inventories/shop/vulns': () => ({
      body: aPage([
        {
          vuln_id,
          cveid,
          summary,
          score,
          cvss3,
          epss,
          kev,
          ssvc,
          found_at,
          verdict: 'confirmed',
          components_count: 7,
          components: [{ ...part, verdict: 'confirmed', decision: null }],
        },
      ]),
    }),
  })
  renderRoutes(
    [{ path: '/monitoring/inventories/:name', element: <InventoryPage /> }],
    '/monitoring/inventories/shop?tab=vulns',
  )
  expect(await screen.findByText('log4j-core 2.14.1, fixed in 2.15.0')).toBeTruthy()
  expect(screen.getByText('Affects you')).toBeTruthy()
  const link = screen.getByRole('link', { name: '7 components' })
  expect(link.getAttribute('href')).toBe('/monitoring/inventories/shop?tab=findings&vuln=12')
})
