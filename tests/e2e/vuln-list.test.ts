import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectPage, hasBrowser, launchBrowser } from '../support/browser.ts'
import { feedsFolder } from '../support/feeds-folder.ts'
import { signInByApi, startProduct, untilFeeds, type Product } from '../support/product.ts'
import { aCve, affecting, aMatch } from '../support/records.ts'
import { aRow, exploitsFile } from '../support/exploits.ts'
import { openSignedIn } from './support/desk.ts'

const cves = Array.from({ length: 120 }, (_, at) =>
  aCve(`CVE-2026-${10_001 + at}`, {
    descriptions: [{ lang: 'en', value: at % 10 ? `A flaw of kind ${at}.` : `A remote code execution ${at}.` }],
    configurations: affecting(aMatch(at % 2 ? 'apache' : 'nginx', `product_${at % 12}`)),
  }),
)
const exploits = cves.slice(0, 30).map(({ id }, at) => aRow({ id: String(50_000 + at), codes: id }))
let product: Product
let browser: Browser
let page: Page
describe.skipIf(!hasBrowser)('the list of vulnerabilities in a browser', () => {
  beforeAll(async () => {
    const { folder } = feedsFolder(cves)
    mkdirSync(join(folder, 'exploitdb'))
    writeFileSync(join(folder, 'exploitdb/files_exploits.csv'), exploitsFile(...exploits))
    product = await startProduct({ feeds: folder })
    await untilFeeds(product.url, (feeds) =>
      ['nvd', 'exploitdb'].every((feed) => feeds.get(feed)?.last_success !== null),
    )
    const client = await signInByApi(product.url)
    const { results } = await client.get<{ results: { id: number }[] }>('/api/vulns/?limit=30')
    await client.post('/api/vulns/toggle/bulk', { ids: results.map(({ id }) => id), monitored: true })
    browser = await launchBrowser()
    page = (await openSignedIn({ browser, url: product.url })).page
  })
  afterAll(async () => {
    await browser?.close()
    await product?.kill()
  })

  test('an analyst finds, selects, monitors and opens a vulnerability by the keyboard alone', async () => {
    await page.goto(`${product.url}/vulns`)
    await page.getByText('CVE-2026-', { exact: false }).first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('remote execution')
    await page.keyboard.press('Enter')
    // Twelve say it of themselves, and of 27 the title of an exploit does.
    await page.getByText('1–10 of 39', { exact: true }).waitFor()
    await page.keyboard.press('Tab')
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    expect(await page.getByText('1 selected').count()).toBe(1)
    await page.keyboard.press('m')
    await page.getByText('Vulnerability monitoring successfuly updated.').waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/vulns\/\d+$/)
    await page.goBack()
    await page.waitForURL(/search=remote/)
  })

  test('twelve rows stand above the fold of a small screen, also with six filters, and the boxes to select them come with the first selection', async () => {
    await page.setViewportSize({ width: 1280, height: 850 })
    const rows = page.locator('tbody tr[data-id]')
    const four = 'cvss3>=9 AND NOT kev:true AND NOT product:windows_server_2008 AND NOT cwe:CWE-1021'
    for (const [q, filters] of [
      ['cvss3>=9 AND NOT kev:true', 2],
      [four, 4],
      [`${four} AND NOT package:org.apache.logging.log4j AND score<=100`, 6],
      ['', 0],
    ] as const) {
      await page.goto(`${product.url}/vulns?${new URLSearchParams({ limit: '20', ...(q && { q }) })}`)
      await expect.poll(() => rows.count()).toBe(20)
      expect(await page.getByRole('button', { name: /: remove this filter$/ }).count()).toBe(filters)
      const twelfth = await rows.nth(11).boundingBox()
      expect(twelfth && twelfth.y + twelfth.height).toBeLessThanOrEqual(850)
    }
    expect(await page.locator('tbody input').count()).toBe(0)
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    expect(await page.locator('tbody input').count()).toBe(20)
    await page.setViewportSize({ width: 1280, height: 900 })
  })

  test.each([
    '/vulns',
    '/vulns?q=cvss3%3E1+AND+NOT+kev%3Atrue&score__gte=10&page=2&sorted_by=-cvss3',
    '/vulns?monitored=true&search=flaw&inbox=on',
    '/vulns?limit=20#composite',
    '/vulns/1',
    '/vulns/CVE-2026-10002',
    '/homepage',
    '/homepage?group=web',
  ])('%s asks for at most twelve files, and for its data once, beside them', async (path) => {
    const own = await page.context().newPage()
    await own.addInitScript(() => {
      localStorage.EarshotVisits = '{"1@1":{"seen":"2026-11-01","before":null}}'
      const shown = location.hash === '#composite' ? ['composite'] : []
      localStorage.EarshotListLook = JSON.stringify({ hidden: [], shown, isSlim: false })
    })
    const asked: string[] = []
    own.on('request', (request) => asked.push(request.url().replace(product.url, '')))
    const errors: string[] = []
    own.on('pageerror', ({ message }) => errors.push(message))
    const isData = (url: string) => /^\/api\/(vulns|search-target)/.test(url.replace(product.url, ''))
    const data = own.waitForRequest((request) => isData(request.url()))
    // No code but the script that asks comes before the data is asked for, and the code is there before the data.
    await own.route(/\/assets\/(?!early-).*\.js$/, (route) => data.then(() => route.continue()))
    const code = own.locator('main').waitFor()
    await own.route('**/api/**', (route) => code.then(() => route.continue()))
    await Promise.all([own.goto(product.url + path), data, code])
    await own.waitForLoadState('networkidle')
    const files = asked.filter((url) => /\.(js|css)$/.test(url))
    const asks = asked.filter(isData)
    expect(errors).toEqual([])
    expect(files.length, files.join(' ')).toBeLessThanOrEqual(12)
    expect(new Set(asks.map((url) => url.split('?')[0])).size, asks.join(' ')).toBe(asks.length)
    await own.close()
  })
  test.each([
    '/homepage',
    '/vulns',
    '/vulns/CVE-2026-10002',
    '/products',
    '/product/1',
    '/exploits',
    '/alerts',
    '/monitoring',
    '/search/flaw',
    '/ratings',
    '/reports',
    '/kb/bulletins',
    '/settings?tab=orgs',
    '/settings?tab=alerting',
    '/settings?tab=audit',
  ])('nothing moves while %s takes its place, on any screen, also where its data is slow', async (path) => {
    const shifts = await Promise.all([1280, 390].map((width) => measureLateShift(path, width)))
    expect(Math.max(...shifts), `at 1280 and 390 px: ${shifts.join(', ')}`).toBeLessThanOrEqual(0.02)
  })

  test('Back leads to the row that was opened: each list is where it was, and the row has the focus', async () => {
    const own = await page.context().newPage()
    await own.setViewportSize({ width: 1280, height: 500 })
    for (const path of [
      '/vulns?limit=20',
      '/vulns?monitored=true&inbox=on',
      '/exploits',
      '/products?limit=20',
      '/monitoring?tab=vulns&limit=20',
      '/search/flaw',
    ]) {
      await own.goto(product.url + path)
      const rows = own.locator('tbody tr[data-id]')
      await expectPage(rows.nth(9), path).toBeVisible()
      await own.waitForLoadState('networkidle')
      expect(await own.evaluate('scrollY'), path).toBe(0)
      const row = rows.nth((await rows.count()) - 2)
      const id = await row.getAttribute('data-id')
      await row.scrollIntoViewIfNeeded()
      const scrolled = await own.evaluate('scrollY')
      expect(scrolled, path).toBeGreaterThan(100)
      await row.locator('a[href^="/vulns/"], a[href^="/product/"]').first().click()
      await own.waitForURL(/\/(vulns|product)\/\d+/)
      await expect.poll(() => own.evaluate("document.querySelector('h1') && scrollY")).toBe(0)
      await own.goBack()
      await expect.poll(() => own.evaluate('document.activeElement?.dataset.id'), { message: path }).toBe(id)
      await expect.poll(() => own.evaluate('scrollY'), { message: path }).toBe(scrolled)
    }
    await own.close()
  })

  test('a row opened right after typing opens, however slow its code is', async () => {
    const own = await page.context().newPage()
    await own.route(/vendor-page/, (route) =>
      new Promise((resolve) => setTimeout(resolve, 1_500)).then(() => route.continue()),
    )
    await own.goto(`${product.url}/vendors`)
    const link = own.getByRole('link', { name: 'Apache', exact: true })
    await expectPage(link).toBeVisible()
    await own.getByLabel('Search vendors').fill('apach')
    await link.click()
    await expectPage(own.getByRole('heading', { level: 1, name: 'Apache' })).toBeVisible()
    await own.close()
  })

  test('a link asks for its screen when it is pointed at, or focused', async () => {
    await page.goto(`${product.url}/homepage`)
    await page.waitForLoadState('networkidle')
    const asked = (data: string) => page.waitForRequest((request) => request.url().startsWith(product.url + data))
    const menu = page.getByRole('navigation', { name: 'Main' })
    await Promise.all([asked('/api/exploits/'), menu.getByRole('link', { name: 'Exploits', exact: true }).hover()])
    await Promise.all([asked('/api/kb/products/'), menu.getByRole('link', { name: 'Products', exact: true }).focus()])
    expect(page.url()).toBe(`${product.url}/homepage`)
  })

  test('a query is completed, refused with its place, shown as pills, and saved as a view', async () => {
    await page.goto(`${product.url}/vulns`)
    const bar = page.getByLabel('Search vulnerabilities')
    await bar.click()
    await page.keyboard.type('ven')
    await page
      .getByRole('option', { name: /vendor:/ })
      .first()
      .click()
    await page.keyboard.type('apa')
    await page.getByRole('option', { name: /apache/ }).click()
    expect(await bar.inputValue()).toBe('vendor:apache ')
    await page.keyboard.type('cvss3>=')
    await page.keyboard.press('Enter')
    await page.getByText('Expected a number after cvss3>= at 22').waitFor()
    await page.keyboard.type('9')
    await page.keyboard.press('Enter')
    await page.getByText('1–10 of 60').waitFor()
    await page.getByRole('button', { name: 'CVSSv3 ≥ 9: remove this filter' }).waitFor()

    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save this view…' }).click()
    await page.getByLabel('Name').fill('Critical Apache')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('View saved.').waitFor()
    await page.goto(`${product.url}/vulns`)
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Critical Apache' }).click()
    await page.waitForURL(/vendor%3Aapache|vendor:apache/)
    await expect.poll(() => page.getByLabel('Search vulnerabilities').inputValue()).toBe('vendor:apache cvss3>=9')
  })

  test('a filter in the address that cannot be read is named, and taken away', async () => {
    await page.goto(`${product.url}/vulns?kev=perhaps`)
    await page.getByRole('button', { name: 'kev=perhaps is not understood: remove this filter' }).press('Enter')
    await page.waitForURL(`${product.url}/vulns`)
    await page.getByText('is not understood').waitFor({ state: 'detached' })
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Filters')
  })

  test('a middle click opens a row in a tab of its own', async () => {
    await page.goto(`${product.url}/vulns`)
    const link = page.getByRole('link', { name: /CVE-2026-/ }).first()
    const opened = () => page.context().pages().slice(1)
    // Of fifty middle clicks that reach a link, Chromium loses one when the machine is busy.
    await expect.poll(() => link.click({ button: 'middle' }).then(opened), { interval: 2_000 }).not.toHaveLength(0)
    for (const tab of opened()) await tab.waitForURL(/\/vulns\/\d+$/).then(() => tab.close())
    expect(page.url()).toBe(`${product.url}/vulns`)
  })

  test('a row says that it is being monitored before the answer is there', async () => {
    await page.goto(`${product.url}/vulns?limit=100`)
    const row = page.locator('tbody tr:nth-child(100)')
    let answer = () => {}
    await page.route('**/api/vulns/toggle/bulk', async (route) => {
      await new Promise<void>((resolve) => (answer = resolve))
      await route.continue()
    })
    await row.getByRole('button', { pressed: false }).click()
    await row.locator('button[aria-busy=true]').waitFor()
    expect(await row.getByRole('button', { pressed: true }).count()).toBe(0)
    answer()
    await row.getByRole('button', { pressed: true }).waitFor()
    expect(await row.locator('button[aria-busy=true]').count()).toBe(0)
  })
})

/** The sum of all that moved, as browsers score it. */
async function measureLateShift(path: string, width: number) {
  const own = await page.context().newPage()
  await own.setViewportSize({ width, height: 850 })
  // Each answer is late by another time, so that the first asked for may come last.
  let count = 0
  await own.route('**/api/**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 400 + ((++count * 300) % 700)))
    await route.continue()
  })
  await own.goto(product.url + path)
  await own.waitForLoadState('networkidle')
  const shift = await measureShift(own)
  await own.close()
  return shift
}

const measureShift = (shown: Page) =>
  shown.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += (entry as PerformanceEntry & { value: number }).value
        }).observe({ type: 'layout-shift', buffered: true })
        setTimeout(() => resolve(sum), 300)
      }),
  )
