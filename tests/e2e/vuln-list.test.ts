import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findViolations } from '../support/axe.ts'
import { hasBrowser, launchBrowser } from '../support/browser.ts'
import { feedsFolder } from '../support/feeds-folder.ts'
import { admin, startProduct, untilFeeds } from '../support/product.ts'
import type { Product } from '../support/product.ts'
import { aCve, affecting, aMatch } from '../support/records.ts'

const cves = Array.from({ length: 120 }, (_, at) =>
  aCve(`CVE-2026-${10_001 + at}`, {
    descriptions: [{ lang: 'en', value: at % 10 ? `A flaw of kind ${at}.` : `A remote code execution ${at}.` }],
    configurations: affecting(aMatch(at % 2 ? 'apache' : 'nginx', `product_${at % 12}`)),
  }),
)

let product: Product
let browser: Browser
let page: Page

describe.skipIf(!hasBrowser)('the list of vulnerabilities in a browser', () => {
  beforeAll(async () => {
    product = await startProduct({ feeds: feedsFolder(cves).folder })
    await untilFeeds(product.url, (feeds) => feeds.get('nvd')?.last_success !== null)
    browser = await launchBrowser()
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    await page.goto(`${product.url}/auth`)
    await page.getByLabel(/username/i).fill(admin.username)
    await page.getByLabel('Password', { exact: true }).fill(admin.password)
    await page.keyboard.press('Enter')
    await page.waitForURL(/homepage/)
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
    await page.getByText('1–10 of 12', { exact: true }).waitFor()
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

  test('a query is completed, refused with its place, shown as pills, and saved as a view', async () => {
    await page.goto(`${product.url}/vulns`)
    const bar = page.getByLabel('Query')
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
    await expect.poll(() => page.getByLabel('Query').inputValue()).toBe('vendor:apache cvss3>=9')
  })

  test('a middle click opens a row in a tab of its own', async () => {
    await page.goto(`${product.url}/vulns`)
    const link = page.getByRole('link', { name: /CVE-2026-/ }).first()
    const [opened] = await Promise.all([page.context().waitForEvent('page'), link.click({ button: 'middle' })])
    await opened.waitForURL(/\/vulns\/\d+$/)
    await opened.close()
    expect(page.url()).toBe(`${product.url}/vulns`)
  })

  test('a table of a hundred rows shows at once that a row is being monitored, on a slow machine too', async () => {
    await page.goto(`${product.url}/vulns?limit=100`)
    await page.locator('tbody tr:nth-child(100)').waitFor()
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    const waits: number[] = []
    for (let row = 3; row < 23; row += 2) waits.push(await page.evaluate(untilAnswered, row))
    await session.send('Emulation.setCPUThrottlingRate', { rate: 1 })
    // The best of a few tries: what else runs on the machine is not the table's doing.
    expect(Math.min(...waits)).toBeLessThan(100)
  })

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 390],
  ] as const)('the list and the search keep the rules of accessibility, %s at %i px', async (colorScheme, width) => {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    for (const path of [
      '/vulns?q=kev AND (vendor:apache OR cvss3>=x)',
      '/vulns?limit=10',
      '/search/flaw',
      '/test-as',
    ]) {
      await page.goto(product.url + path)
      await page.waitForLoadState('networkidle')
      expect([path, await findViolations(page)]).toEqual([path, []])
      expect([path, await page.evaluate('document.documentElement.scrollWidth - innerWidth')]).toEqual([path, 0])
    }
  })
})

/** How long until the toggle of a row says that it is on its way, or there. */
const untilAnswered = (row: number) =>
  new Promise<number>((done) => {
    const toggle = () => document.querySelectorAll('tbody tr')[row]?.querySelector<HTMLElement>('button[aria-pressed]')
    const was = toggle()?.getAttribute('aria-pressed')
    const from = performance.now()
    const watch = () => {
      const isAnswered =
        toggle()?.getAttribute('aria-busy') === 'true' || toggle()?.getAttribute('aria-pressed') !== was
      if (isAnswered) done(performance.now() - from)
      else requestAnimationFrame(watch)
    }
    toggle()?.click()
    watch()
  })
