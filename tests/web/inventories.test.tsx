import { screen } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { signInAs } from './support/account'
import { atHome } from './support/answers'
import { aPage } from './support/rows'
import { fakeServer } from './support/server'
import { visit } from './support/visit'

const inventory = {
  name: 'shop',
  format: 'CycloneDX 1.6',
  subject: null,
  updated_at: '2026-11-20T06:30:00Z',
  components_count: 3,
  unmatched_count: 2,
  uncompared_count: 0,
  pending_count: 0,
  open: { critical: 0, high: 0, medium: 0, low: 0, unscored: 0 },
  unknown: 0,
  kev: 0,
  kev_unknown: 0,
  closed: 1,
  publicly_exposed: null,
  is_own_product: false,
  days: [],
}

beforeEach(() => {
  signInAs()
  fakeServer({
    ...atHome,
    'GET /api/inventories/shop': () => ({ body: inventory }),
    'GET /api/inventories/shop/findings': () => ({ body: aPage([]) }),
    'GET /api/inventories/shop/vulns': () => ({ body: aPage([]) }),
  })
})

test('of an inventory that was compared in part no exploited finding is known, which is not 0', async () => {
  visit('/monitoring/inventories/shop?tab=findings')
  expect(await screen.findByText('None known')).toBeTruthy()
  expect(screen.getByText('None among the 1 that could be compared')).toBeTruthy()
})

test('an inventory that is being compared says so instead of 0', async () => {
  fakeServer({
    ...atHome,
    'GET /api/inventories/shop': () => ({ body: { ...inventory, pending_count: 1 } }),
    'GET /api/inventories/shop/upgrades': () => ({ body: aPage([]) }),
  })
  visit('/monitoring/inventories/shop')
  expect(await screen.findByText('None yet: 1 is being compared')).toBeTruthy()
  const { components_count } = inventory
  const done = `Comparing: ${components_count - 1} of ${components_count} components`
  expect(screen.getByRole('progressbar', { name: done })).toBeTruthy()
  expect(screen.getByText('None yet')).toBeTruthy()
  expect(await screen.findByText(/Those that are not compared may be affected/)).toBeTruthy()
})

test.each([
  ['?tab=findings', 'No open finding', /what was compared alone: components that are not compared may be affected/],
  ['?tab=findings&kev=true', 'No finding matches', /remove a filter/],
  ['?tab=findings&status=closed', 'No finding matches', /another verdict/],
  ['?tab=vulns', 'No open vulnerability', /what was compared alone/],
  ['?tab=vulns&search=log4j', 'No vulnerability matches', /search for other words/],
])('an empty list at %s calls nothing safe that nobody compared', async (query, title, text) => {
  visit(`/monitoring/inventories/shop${query}`)
  expect((await screen.findAllByText(title))[0]).toBeTruthy()
  expect(screen.getAllByText(text)[0]).toBeTruthy()
  expect(screen.queryByText(/No version in this inventory is known to be affected/)).toBe(null)
})
