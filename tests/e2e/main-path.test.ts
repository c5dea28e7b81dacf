import { readFileSync } from 'node:fs'
import type { Browser } from '@playwright/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectPage, hasBrowser, launchBrowser } from '../support/browser.ts'
import { countWaiting } from '../support/database.ts'
import { feedsFolder } from '../support/feeds-folder.ts'
import { startMailServer, type MailServer } from '../support/mail-server.ts'
import { signInByApi, startProduct, untilFeeds, type Product } from '../support/product.ts'
import { aCve, affecting, aMatch, aMetric } from '../support/records.ts'
import { openSignedIn } from './support/desk.ts'

let product: Product
let browser: Browser
let mail: MailServer
const feeds = feedsFolder([
  aCve('CVE-2026-10001'),
  aCve('CVE-2026-10002', { configurations: affecting(aMatch('other', 'thing')) }),
])

beforeAll(async () => {
  if (!hasBrowser) return
  mail = await startMailServer()
  product = await startProduct({ feeds: feeds.folder, env: { SMTP_URL: mail.url, ADMIN_EMAIL: 'analyst@example.org' } })
  await untilFeeds(product.url, (all) => [...all.values()].every(({ last_success }) => last_success !== null), 120)
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await product?.kill()
  await mail?.close()
})

/** Records arrive at the origin, the feed is run, and its alerts go out. */
async function arrive(records: unknown[]) {
  const before = (await untilFeeds(product.url, (all) => all.get('nvd')?.state === 'idle')).get('nvd')
  const { authorization } = await signInByApi(product.url)
  feeds.arrive(records)
  const response = await fetch(`${product.url}/api/data/sync/run?feed=nvd`, {
    method: 'POST',
    headers: { authorization },
  })
  expect(response.status).toBe(200)
  await untilFeeds(product.url, (all) => {
    const now = all.get('nvd')
    return now?.state === 'idle' && now.started_at !== before?.started_at
  })
}

const now = () => new Date().toISOString().slice(0, 19)

test.skipIf(!hasBrowser)('from a public feed to the screen and one mail', async () => {
  const { page } = await openSignedIn({ browser, url: product.url })

  await page.goto(`${product.url}/products`)
  await page.getByLabel('Search products').fill('widg')
  const row = page.getByRole('row').filter({ hasText: 'widget' })
  await expectPage(row).toHaveCount(1)
  await row
    .getByRole('button', { name: /monitor/i })
    .or(row.getByRole('switch'))
    .first()
    .click()
  await expectPage(page.getByText('Monitoring status successfuly updated.')).toBeVisible()
  await expectPage(row.getByText('Yes', { exact: true })).toBeVisible()

  await arrive([
    aCve('CVE-2026-20001', { lastModified: now(), published: now() }),
    aCve('CVE-2026-10001', {
      lastModified: now(),
      metrics: { cvssMetricV31: [aMetric('3.1', 10, 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H')] },
    }),
  ])

  for (const path of ['/homepage', '/vulns?monitored=true']) {
    await page.goto(product.url + path)
    const changed = page.getByRole('row').filter({ hasText: 'CVE-2026-10001' }).first()
    await expectPage(page.getByRole('row').filter({ hasText: 'CVE-2026-20001' }).first()).toBeVisible()
    await expectPage(changed).toContainText('10.0')
  }

  // The account's own notices (a sign-in from a new device) go to the same address.
  const alerts = () => mail.mails.filter(({ subject }) => /^\[Earshot\] .+ PH-\d+ \/ /.test(subject))
  await expect.poll(() => alerts().length, { timeout: 30_000 }).toBe(2)
  // One more turn of the clock, and of the feed, brings no second mail.
  await arrive([])
  await product.tick()
  await expect.poll(() => countWaiting(product.state)).toBe(0)
  expect(alerts().map(({ to }) => to)).toEqual([['analyst@example.org'], ['analyst@example.org']])
  expect(
    alerts()
      .map(({ subject }) => subject)
      .sort(),
  ).toEqual([
    expect.stringMatching(/CVE-2026-10001 · PH-1 \/ updated · Private$/),
    expect.stringMatching(/CVE-2026-20001 · PH-\d+ \/ new vulnerability · Private$/),
  ])
  await page.close()
})

test.skipIf(!hasBrowser)('pages, assets and the API send the headers that keep them to themselves', async () => {
  const html = await (await fetch(`${product.url}/auth`)).text()
  const script = /src="(\/assets\/[^"]+)"/.exec(html)?.[1]
  // A block of data is no script.
  expect(html).not.toMatch(/<script(?![^>]*\s(?:src=|type="application\/json"))[^>]*>/)
  for (const path of ['/auth', script, '/api/vulns/']) {
    const { headers } = await fetch(`${product.url}${path}`)
    expect(headers.get('content-security-policy')).toMatch(/default-src '(self|none)'.*frame-ancestors 'none'/)
    expect(headers.get('content-security-policy')).not.toMatch(/script-src[^;]*'unsafe-inline'/)
    expect(headers.get('strict-transport-security')).toMatch(/max-age=\d{8}/)
    expect([headers.get('x-content-type-options'), headers.get('referrer-policy')]).toEqual(['nosniff', 'no-referrer'])
  }
})

test.skipIf(!hasBrowser)(
  'the browser of a returning user keeps the files of the app and nothing else, and no call is refused first',
  async () => {
    const { page, close } = await openSignedIn({ browser, url: product.url })
    await page.clock.install()
    await page.evaluate(() => caches.open('of a build before').then((cache) => cache.add('/favicon.svg')))
    await page.goto(`${product.url}/vulns`)
    await page.clock.fastForward(11_000)
    await expectPage.poll(() => page.evaluate(() => caches.keys())).toEqual([expect.stringMatching(/^[0-9a-f]{8}$/)])
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
    const kept = new Map<string, boolean>()
    page.on('response', (response) => kept.set(new URL(response.url()).pathname, response.fromServiceWorker()))
    await page.goto(`${product.url}/homepage`)
    await page.waitForLoadState('networkidle')
    const [files, others] = [true, false].map((isFile) =>
      [...kept].filter(([path]) => path.startsWith('/assets/') === isFile),
    )
    expect(files?.filter(([path]) => !path.startsWith('/assets/early-')).every(([, isKept]) => isKept)).toBe(true)
    expect(files?.length).toBeGreaterThan(4)
    expect(others?.map(([path]) => path)).toContain('/api/vulns/stats')
    expect(others?.filter(([, isKept]) => isKept)).toEqual([])
    const list = async () =>
      (await (await caches.open((await caches.keys())[0] ?? '')).keys()).map(({ url }) => new URL(url).pathname)
    expect((await page.evaluate(list)).filter((path) => !path.startsWith('/assets/'))).toEqual([])

    await page.evaluate(() => {
      const session = JSON.parse(localStorage.getItem('EarshotHears') ?? '')
      session.tokens.access = `.${btoa('{"exp":1}')}.`
      localStorage.setItem('EarshotHears', JSON.stringify(session))
    })
    const answered: string[] = []
    const tabs = [page, await page.context().newPage()]
    for (const tab of tabs) {
      tab.on('response', (response) => answered.push(`${response.status()} ${new URL(response.url()).pathname}`))
      await tab.goto(`${product.url}/vulns`, { waitUntil: 'commit' })
    }
    for (const tab of tabs) {
      await tab.locator('tr[data-id]').first().waitFor()
      await tab.waitForLoadState('networkidle')
    }
    expect(answered.filter((one) => /^401|refresh/.test(one))).toEqual(['200 /api/public/jwt-auth/refresh-token/'])
    await close()
  },
)

test.skipIf(!hasBrowser)('a user who comes back sees the screen as they left it until the app stands', async () => {
  const { page, close } = await openSignedIn({ browser, url: product.url })
  const kept = () => page.evaluate(() => localStorage.getItem('EarshotScreens'))
  const last = page.locator('#last-screen')
  const rows = 'tr[data-id]'
  await page.goto(`${product.url}/vulns`)
  await page.locator(rows).first().waitFor()
  await page.waitForLoadState('networkidle')
  const left = await page.locator(rows).allInnerTexts()
  await page.goto(`${product.url}/settings?tab=profile`)
  await page.waitForLoadState('networkidle')

  let go = () => undefined as void
  const held = new Promise<void>((resolve) => (go = resolve))
  await page.route('**/assets/index-*.js', (route) => held.then(() => route.continue()))
  await page.goto(`${product.url}/vulns`, { waitUntil: 'commit' })
  await last.getByText('As you left it just now. Loading…').waitFor()
  expect(await last.locator(rows).allInnerTexts()).toEqual(left)
  expect(await last.evaluate((screen) => (screen as HTMLElement).inert)).toBe(true)
  expect(await page.getByRole('row').count()).toBe(0)
  go()
  await expectPage(last).toHaveCount(0)
  expect(await page.locator(rows).allInnerTexts()).toEqual(left)

  // Of settings, which may show a secret, nothing is kept.
  await page.goto(`${product.url}/settings?tab=profile`)
  await page.waitForLoadState('networkidle')
  await page.goto(`${product.url}/homepage`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  const addresses = JSON.parse((await kept()) ?? '[]').map(({ address }: { address: string }) => address)
  expect(addresses).toContain('/vulns')
  expect(addresses.join()).not.toContain('settings')

  // Somebody else of this browser sees none of it, and a sign-out leaves nothing.
  await page.evaluate(() => {
    const session = JSON.parse(localStorage.EarshotHears)
    localStorage.EarshotHears = JSON.stringify({ ...session, org: { ...session.org, id: 99 } })
  })
  await page.goto(`${product.url}/vulns`, { waitUntil: 'commit' })
  await page.getByRole('heading', { name: 'Vulnerabilities' }).waitFor()
  expect(await last.count()).toBe(0)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expectPage.poll(async () => (await kept())?.length).toBeUndefined()
  await close()
})

type Starter = { vulnerabilities: { cve: { id: string } }[] }

/** The record of NVD, of the set that a first start reads. */
function readLog4Shell() {
  const path = new URL('../../scripts/starter/nvd/2.0/nvdcve-2.0-starter.json', import.meta.url)
  const { vulnerabilities } = JSON.parse(readFileSync(path, 'utf8')) as Starter
  return vulnerabilities.flatMap(({ cve }) => (cve.id === 'CVE-2021-44228' ? [{ ...cve, lastModified: now() }] : []))
}

test.skipIf(!hasBrowser)(
  'the page of Log4Shell, as NVD describes it, is shorter than 2,500 px and has no empty card of CVSS',
  async () => {
    await arrive(readLog4Shell())
    const { page, close } = await openSignedIn({ browser, url: product.url })
    await page.setViewportSize({ width: 1280, height: 850 })
    await page.goto(`${product.url}/vulns/CVE-2021-44228`)
    await expectPage(page.getByRole('heading', { name: /^References/ })).toBeVisible()
    await page.waitForLoadState('networkidle')
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(2_500)
    expect(await page.getByRole('heading', { name: /^CVSS/ }).allTextContents()).toEqual(['CVSSv3'])
    for (const label of ['Exploitation', 'Do you run it?', 'Upgrade to'])
      await expectPage(page.getByLabel('Decision').getByText(label, { exact: true })).toBeVisible()
    await close()
  },
)
