import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { decider, signInAs } from './support/account'
import { atHome, refusedWith } from './support/answers'
import { fill, press } from './support/forms'
import { aPage } from './support/rows'
import { fakeServer } from './support/server'
import { visit } from './support/visit'
import { nameInDocument, nameInFile, toName } from '../../web/inventories/document-name'

const gone = { removed_at: '2026-11-20T10:00:00Z', removed_by: 'ann', ends_at: '2026-12-20T10:00:00Z' }
const shop = { id: 3, name: 'shop', format: 'CycloneDX 1.6 JSON', components_count: 2, ...gone }
const key = '2f1c3f2e-6d1b-4a53-9c3b-0f4c8c1f5a77'

function open(address: string, answers: Parameters<typeof fakeServer>[0] = {}) {
  const server = fakeServer({
    ...atHome,
    'GET /api/inventories/': () => ({ body: aPage([]) }),
    'GET /api/removed-inventories/': () => ({ body: [shop] }),
    'GET /api/monitor/removed': () => ({ body: [{ key, count: 2, ...gone }] }),
    ...answers,
  })
  visit(address)
  return server
}

test('a removed inventory is restored, under another name where its own is taken', async () => {
  signInAs(decider)
  const message = 'An inventory is called shop already: restore this one under another name'
  const refused = { code: 'conflict', message, detail: message, issues: [{ path: ['name'], message }] }
  const server = open('/monitoring/inventories', {
    'POST /api/removed-inventories/3/restore': ({ body }) =>
      (body as { name: string }).name === 'shop' ? { status: 409, body: refused } : refusedWith(500, 'error', 'No'),
  })
  fireEvent.click(await screen.findByRole('button', { name: 'Restore shop' }))
  await screen.findByRole('dialog')
  press('Restore')
  expect(await screen.findByText(message)).toBeTruthy()
  fill('Name', 'old shop')
  press('Restore')
  await waitFor(() =>
    expect(server.requests.findLast(({ method }) => method === 'POST')?.body).toEqual({ name: 'old shop' }),
  )
})

test('an undo of a removal brings back the kept list, as a vendor takes rows of its products along', async () => {
  signInAs(decider)
  const stats = { vulns: {}, metadata: {}, monitored: { vendors: 1 }, days: null }
  const vendor = {
    id: 5,
    name: 'acme',
    vendor: null,
    groups: [],
    versions: [],
    end_of_life: [],
    publicly_exposed: null,
  }
  const nothing = { newest: null, worst: null, open: {}, concerning: { count: 0, is_exact: true } }
  let isMonitored = true
  const vendors = () => [...(isMonitored ? [vendor] : []), { ...vendor, id: 8, name: 'globex' }]
  const server = open('/monitoring?tab=vendors', {
    'GET /api/vulns/stats/monitored': () => ({ body: stats }),
    'GET /api/monitor/groups': () => ({ body: [] }),
    'GET /api/monitor/awaited': () => ({ body: aPage([]) }),
    'GET /api/monitor/items/vendors': () => ({ body: aPage(vendors().map((row) => ({ ...row, ...nothing }))) }),
    'POST /api/monitor/items': () => {
      isMonitored = false
      return { body: { status: 'success', pending_count: 0, removed_list: key } }
    },
    [`POST /api/monitor/removed/${key}/restore`]: () => ({ body: { status: 'success' } }),
  })
  const stop = await screen.findByRole('button', { name: 'Stop monitoring acme' })
  stop.focus()
  fireEvent.click(stop)
  // The row is gone: the focus is on the one that took its place.
  await waitFor(() => expect(document.activeElement?.closest('tr')?.textContent).toContain('Globex'))
  fireEvent.click(await screen.findByRole('button', { name: 'Undo' }))
  expect(await screen.findByText('The removed items are monitored again')).toBeTruthy()
  expect(server.to('/api/monitor/items')).toHaveLength(1)
})

test('a long list that is still being matched says how far it is', async () => {
  signInAs(decider)
  const monitored = { count: 1_000, vendors: 1_000, products: 0, packages: 0, vulnerabilities: 0, inventories: 0 }
  open('/monitoring?tab=vendors', {
    'GET /api/vulns/stats/monitored': () => ({
      body: { vulns: {}, metadata: {}, monitored, days: null, matching_count: 700 },
    }),
    'GET /api/monitor/groups': () => ({ body: [] }),
    'GET /api/monitor/awaited': () => ({ body: aPage([]) }),
    'GET /api/monitor/items/vendors': () => ({ body: aPage([]) }),
  })
  const name = 'Matching with the vulnerabilities: 300 of 1,000 items'
  expect(await screen.findByRole('progressbar', { name })).toBeTruthy()
})

test('an inventory is renamed on its page, which then has the new address', async () => {
  signInAs(decider)
  const message = 'An inventory is called front already: choose another name'
  const refused = { code: 'conflict', message, detail: message, issues: [{ path: ['name'], message }] }
  const found = { ...shop, open: {}, unknown: 0, kev: 0, days: [], updated_at: '2026-11-20T10:00:00Z' }
  open('/monitoring/inventories/shop%201.0?tab=send', {
    'GET /api/inventories/shop%201.0': () => ({ body: found }),
    'GET /api/inventories/shop': () => ({ body: found }),
    'PUT /api/inventories/shop%201.0/name': ({ body }) =>
      (body as { name: string }).name === 'front' ? { status: 409, body: refused } : { body },
  })
  fireEvent.click(await screen.findByRole('button', { name: 'Rename' }))
  const dialog = await screen.findByRole('dialog')
  fill('Name', 'front')
  fireEvent.click(within(dialog).getByRole('button', { name: 'Rename' }))
  expect(await screen.findByText(message)).toBeTruthy()
  fill('Name', 'shop')
  fireEvent.click(within(dialog).getByRole('button', { name: 'Rename' }))
  expect(await screen.findByRole('heading', { name: 'shop', level: 1 })).toBeTruthy()
  expect(await screen.findByRole('tab', { name: 'Send again', selected: true })).toBeTruthy()
})

test('a member who may not restore sees what was removed, and by whom', async () => {
  signInAs()
  open('/monitoring/inventories')
  expect(await screen.findByText(/Removed by ann/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Restore shop' })).toBeNull()
})

test('items that left the watchlist at once are monitored again', async () => {
  signInAs(decider)
  const server = open('/monitoring', {
    [`POST /api/monitor/removed/${key}/restore`]: () => ({
      body: { status: 'success', added: 2, changed: 0, already: 0, awaited: 0 },
    }),
  })
  fireEvent.click(await screen.findByRole('button', { name: 'Restore 2 items' }))
  expect(await screen.findByText('The removed items are monitored again')).toBeTruthy()
  expect(server.requests.some(({ path }) => path === `/api/monitor/removed/${key}/restore`)).toBe(true)
})

const none = { count: 0, first: [] }
const emptyChange = {
  components: { added: none, removed: none, unmatched: none, look_alikes: none },
  findings: { new: none, gone: none },
}
const noFindings = {
  open: { critical: 0, high: 0, medium: 0, low: 0, unscored: 0 },
  kev: 0,
  kev_unknown: 0,
  unknown: 0,
  unmatched_count: 0,
}

const bom = (name: string, version?: string) =>
  JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', metadata: { component: { name, version } } })

test.each([
  ['bom.json', bom('shop', '2.1'), 'shop'],
  ['bom.json', bom('acme/shop'), 'acme-shop'],
  ['shop.spdx.json', JSON.stringify({ spdxVersion: 'SPDX-2.3', name: 'acme shop-2.1.0-rc.1' }), 'acme shop'],
  ['graph.json', JSON.stringify({ '@graph': [{}, { type: 'SpdxDocument', name: 'Shop\n3' }] }), 'Shop 3'],
  ['bom.spdx', 'SPDXVersion: SPDX-2.3\nDocumentName: shop of acme\n', 'shop of acme'],
  ['bom.xml', '<bom><metadata><component><name>till</name><version>4</version></component></metadata></bom>', 'till'],
  ['shop-1.0.cdx.json', '{"bomFormat":', 'shop'],
  ['log4j-2.json', '{}', 'log4j-2'],
])('the inventory of %s %s is called %s', (file, text, name) => {
  expect(toName(nameInDocument(text)) || nameInFile(file)).toBe(name)
})

test('a document names its inventory; one of that name is replaced only when that is confirmed, and the form closes', async () => {
  signInAs(decider)
  const answer = { is_new: false, inventory: { ...shop, pending_count: 0 }, ...emptyChange }
  const unmatched = {
    components_count: 2,
    unmatched_count: 2,
    uncompared_count: 0,
    pending_count: 0,
    updated_at: '2026-11-20T06:30:00Z',
  }
  const server = open('/monitoring/inventories', {
    'GET /api/inventories/': () => ({
      body: aPage([
        { ...shop, ...noFindings, ...unmatched, unmatched_count: 0 },
        { ...shop, ...noFindings, ...unmatched, name: 'till' },
      ]),
    }),
    'PUT /api/inventories/shop': () => ({ body: answer }),
  })
  expect(await screen.findByText('Nothing could be compared')).toBeTruthy()
  expect(within(screen.getByRole('row', { name: /till/ })).getByText('Not known')).toBeTruthy()
  const files = [new File([bom('shop')], 'upload.json')]
  fireEvent.change(await screen.findByLabelText('Document'), { target: { files } })
  await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>(/^Name of the inventory/).value).toBe('shop'))
  press('Send')
  expect(await screen.findByText(/There is an inventory shop already/)).toBeTruthy()
  expect(server.to('/api/inventories/shop')).toHaveLength(0)
  press('Replace it')
  expect(await screen.findByText('shop is replaced')).toBeTruthy()
  expect(screen.queryByLabelText(/^Name of the inventory/)).toBeNull()
})
