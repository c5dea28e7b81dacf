import type { Page } from '@playwright/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectPage, hasBrowser } from '../support/browser.ts'
import { aJsonBom } from '../support/boms.ts'
import { admin } from '../support/product.ts'
import { findBroken } from './support/broken.ts'
import { openPage, openSignedIn, startDesk, type Desk } from './support/desk.ts'

let desk: Desk

beforeAll(async () => {
  if (!hasBrowser) return
  desk = await startDesk()
  await put('shop', aJsonBom('1.6'))
  const part = { type: 'library', name: 'acme-widget', purl: 'pkg:pypi/acme-widget@1.0' }
  await put('made', { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components: [part] })
  await put('made/own', { is_own_product: true })
  await desk.tick()
  expect(await desk.client.get('/api/cra/clocks/')).toMatchObject({ results: [{ vuln_id: desk.ids.vuln }] })
})
const put = (path: string, body: object) =>
  fetch(`${desk.url}/api/inventories/${path}`, {
    method: 'PUT',
    headers: { authorization: desk.client.authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
afterAll(() => desk?.close())

/** Pages that open without an account. */
const doors = [
  '/auth',
  '/sso',
  '/lostpassword',
  '/newpassword?token=x',
  '/registration?token=x',
  '/trial',
  '/trial/x',
  '/email/x',
]

const withTabs = (path: string, ...tabs: string[]) => [path, ...tabs.map((tab) => `${path}?tab=${tab}`)]

/** Every screen of an analyst, and the public ones. */
const screens = () => [
  '/homepage',
  '/homepage?firststeps=1',
  ...withTabs('/search/widget', 'exploits', 'threats', 'advisories', 'tools'),
  '/test-as',
  '/vulns',
  '/vulns?q=cvss3%3E%3D9+AND+vendor%3Aacme',
  '/vulns?q=vendr%3Aacme',
  '/vulns?search=nothing-of-the-kind',
  ...withTabs(`/vulns/${desk.ids.vuln}`, 'exploits', 'threats', 'comments', 'history', 'records'),
  '/exploits',
  '/threats',
  '/ratings',
  `/ratings?vuln=${desk.ids.vuln}`,
  '/ratings?vector=AV:Q/nonsense',
  ...withTabs('/vendors', 'products'),
  ...withTabs(`/vendor/${desk.ids.vendor}`, 'products'),
  '/products',
  ...withTabs(`/product/${desk.ids.product}`, 'timeline'),
  `/product/${desk.ids.product}?product_version=1.4`,
  '/packages',
  ...withTabs(`/packages/${desk.ids.package}`, 'timeline'),
  '/kb/cves',
  '/kb/cwe/79',
  '/kb/bulletins',
  `/kb/bulletins/${desk.ids.bulletin}`,
  ...withTabs('/alerts', 'proof'),
  `/alerts?vuln_id=${desk.ids.vuln}`,
  '/reports',
  '/reports/daily/2026-01-01',
  ...withTabs('/monitoring', 'products', 'packages', 'vulns', 'awaited'),
  '/monitoring/inventories',
  ...withTabs('/monitoring/inventories/shop', 'vulns', 'findings', 'components', 'support'),
  '/monitoring/inventories/nowhere',
  '/cra',
  '/cra?state=done',
  `/cra/${desk.ids.vuln}`,
  '/cra/999999',
  ...withTabs('/settings', 'alerting', 'orgs', 'audit', 'sso', 'sync'),
  '/help',
  '/nowhere',
  `/public/vulns/${desk.ids.vuln}`,
  '/public/vulns/CVE-2026-10004',
  '/public/vulns/999999',
  '/public/search?q=widget',
  '/public/search?q=nothing-of-the-kind',
  '/public/newsletter',
  '/conformance',
  '/census',
  '/status',
  '/sources',
]

// Each two at a time; one test of all would take too long on a busy machine.
test.skipIf(!hasBrowser).each([0, 1])(
  'every screen opens without an error, fits its window and is accessible, in light and dark (part %d of 0 and 1)',
  { timeout: 300_000 },
  async (part) => {
    const all = screens().filter((_, at) => Math.floor(at / 2) % 2 === part)
    const lanes = [all.filter((_, at) => at % 2 === 0), all.filter((_, at) => at % 2 === 1)]
    const found = await Promise.all(lanes.map(walk))
    // A wrong query or vector is refused, and an unknown id is not found.
    const refused =
      /(\?q=vendr|\?vector=AV:Q|\/public\/vulns\/999999|\/cra\/(?:clocks\/)?999999|\/reports\/daily\/|\/inventories\/nowhere)\S* .*\b40[04]\b/
    expect(found.flat().filter((text) => !refused.test(text))).toEqual([])
  },
)

test.skipIf(!hasBrowser)(
  'the pages in front of the sign-in open without an error, fit their window and are accessible',
  { timeout: 120_000 },
  async () => {
    const { page, errors, close } = await openPage(desk.browser)
    const broken: string[] = []
    for (const path of doors) {
      await open(page, path)
      broken.push(...(await findBroken(page, path)))
    }
    expect([...broken, ...errors.filter((text) => !/\b40[04]\b/.test(text))]).toEqual([])
    await close()
  },
)

test.skipIf(!hasBrowser)(
  'on a narrow screen the cells of public tables stand one below the other, and no word is broken',
  { timeout: 120_000 },
  async () => {
    const { page, close } = await openPage(desk.browser, { viewport: { width: 390, height: 844 } })
    for (const path of ['/sources', '/conformance']) {
      await open(page, path)
      const name = await page.locator('tbody th').first().boundingBox()
      expect(name?.width, path).toBeGreaterThan(300)
    }
    await close()
  },
)

test.skipIf(!hasBrowser)(
  'a global admin acts in another organization from its row, sees so on every screen, and goes back',
  { timeout: 120_000 },
  async () => {
    await desk.client.post('/users/addorg', { name: 'Widgets Inc', email: 'owner@example.org' })
    const { page, errors, close } = await openSignedIn(desk)
    const acting = page.getByLabel('Acting', { exact: true })
    await open(page, '/settings?tab=orgs')
    await page.getByRole('button', { name: 'Actions on Widgets Inc' }).click()
    await page.getByRole('menuitem', { name: 'Act in this organization' }).click()
    await expectPage(acting).toContainText('Acting in Widgets Inc.')
    await expectPage(page).toHaveURL(/homepage$/)
    await expectPage(page.getByRole('heading', { level: 1 })).toBeVisible()
    const broken = await findBroken(page, 'acting')
    await open(page, '/settings?tab=audit')
    await expectPage(page.getByRole('cell', { name: 'Started acting in the organization' })).toBeVisible()
    await page.getByRole('button', { name: 'Leave Widgets Inc' }).click()
    await expectPage(page).toHaveURL(/homepage$/)
    await expectPage(acting).toBeHidden()
    expect([...broken, ...errors]).toEqual([])
    await close()
  },
)

async function walk(paths: string[]) {
  const { page, errors, close } = await openSignedIn(desk)
  const broken: string[] = []
  for (const path of paths) {
    await open(page, path)
    broken.push(...(await findBroken(page, path)))
  }
  await close()
  return [...broken, ...errors]
}

async function open(page: Page, path: string) {
  await page.goto(desk.url + path)
  await expectPage(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.waitForLoadState('networkidle')
}

test.skipIf(!hasBrowser)(
  'overlays of a screen are accessible as well, in light and dark',
  { timeout: 300_000 },
  async () => {
    const { page, errors, close } = await openSignedIn(desk)
    const broken: string[] = []
    const vuln = `/vulns/${desk.ids.vuln}`
    const more = `More for PH-${desk.ids.vuln}`
    for (const [path, ...buttons] of [
      ['/homepage', `${admin.username}@Private`],
      ['/vulns', 'Add'],
      ['/vulns', 'Keyboard shortcuts'],
      ['/vulns', 'Go, find or do anything'],
      ['/vulns', 'Export'],
      ['/vulns', 'Add filter'],
      ['/vulns', 'Views', 'Save this view…'],
      [vuln, more],
      [vuln, more, 'Send by mail'],
      [`${vuln}?tab=threats`, 'Add threat activity'],
      ['/settings?tab=sync', 'Details: NVD'],
    ] as const) {
      // The look at what was open before left a narrow window, which has no button for the palette.
      await page.setViewportSize({ width: 1280, height: 900 })
      await open(page, path)
      for (const name of buttons) {
        const named = { name, exact: true }
        await page.getByRole('button', named).or(page.getByRole('menuitem', named)).click()
      }
      await expectPage(page.locator('[role=dialog], [role=menu]').filter({ visible: true }).last()).toBeVisible()
      broken.push(...(await findBroken(page, `${path} ${buttons.join(', ')}`)))
    }
    expect([...broken, ...errors]).toEqual([])
    await close()
  },
)
