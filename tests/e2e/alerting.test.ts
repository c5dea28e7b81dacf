import { DatabaseSync } from 'node:sqlite'
import type { Browser } from '@playwright/test'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectPage, hasBrowser, launchBrowser } from '../support/browser.ts'
import { countWaiting, databaseFile } from '../support/database.ts'
import { feedsFolder } from '../support/feeds-folder.ts'
import { startMailServer, type MailServer } from '../support/mail-server.ts'
import { signInByApi, startProduct, untilFeeds, type Product } from '../support/product.ts'
import { startReceivers, type BoxState } from '../support/receivers.ts'
import { aCve } from '../support/records.ts'
import { openSignedIn } from './support/desk.ts'

let product: Product
let browser: Browser
let mail: MailServer
let env: Record<string, string>
let receivers: Awaited<ReturnType<typeof startReceivers>>
const feeds = feedsFolder([aCve('CVE-2026-10001')])

beforeAll(async () => {
  if (!hasBrowser) return
  mail = await startMailServer()
  receivers = await startReceivers()
  env = { SMTP_URL: mail.url, ADMIN_EMAIL: 'analyst@example.org', LOCAL_CHANNELS: '1' }
  product = await startProduct({ feeds: feeds.folder, env })
  await untilFeeds(product.url, (all) => [...all.values()].every(({ last_success }) => last_success !== null), 120)
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await product?.kill()
  await mail?.close()
  await receivers?.close()
})

const signedIn = async () => (await openSignedIn({ browser, url: product.url })).page

/** A record arrives at the origin, the feed is run, and its alerts go out. */
async function arrive(record: unknown) {
  const before = (await untilFeeds(product.url, (all) => all.get('nvd')?.state === 'idle')).get('nvd')
  const client = await signInByApi(product.url)
  feeds.arrive([record])
  await client.post('/api/data/sync/run?feed=nvd', {})
  await untilFeeds(product.url, (all) => {
    const now = all.get('nvd')
    return now?.state === 'idle' && now.started_at !== before?.started_at
  })
}

/** The day is over while the product is down: the report is due when it is up again. */
async function comeDue() {
  const { state: folder, port } = product
  await product.kill()
  const db = new DatabaseSync(databaseFile(folder))
  db.prepare('UPDATE report_dues SET due_at = ?').run(`${now()}Z`)
  db.close()
  product = await startProduct({ feeds: feeds.folder, state: folder, port, env })
  await product.tick()
}

const state = async () => (await (await fetch(`${receivers.url}/all/state`)).json()) as BoxState
const now = () => new Date().toISOString().slice(0, 19)

const ways = [
  { title: 'Slack', fields: [['Incoming webhook', 'slack']] },
  { title: 'Microsoft Teams', fields: [['Webhook of a workflow', 'teams']] },
  {
    title: 'TheHive',
    fields: [
      ['Address', 'hive'],
      ['API key', null],
    ],
  },
  {
    title: 'MISP',
    fields: [
      ['Address', 'misp'],
      ['Automation key', null],
    ],
  },
  { title: 'Webhook', fields: [['Address', 'hook']] },
] as const

test.skipIf(!hasBrowser)(
  'each channel is pointed, tested, and finds exactly one message of a new vulnerability, then comes one report',
  async () => {
    const page = await signedIn()
    const client = await signInByApi(product.url)
    await client.post('/api/monitor/product/toggle', { vendor_name: 'acme', product_name: 'widget', monitored: true })

    await page.goto(`${product.url}/settings?tab=alerting`)
    await page.getByRole('button', { name: 'Send a test e-mail' }).click()
    await expectPage(page.getByText('Test sent. Check your mailbox !')).toBeVisible()
    for (const { title, fields } of ways) {
      const card = page.getByRole('region', { name: title, exact: true })
      for (const [label, path] of fields)
        await card
          .getByLabel(label, { exact: true })
          .fill(path ? `${receivers.url}/all/${path}` : 'key-0123456789abcdef')
      await card.getByRole('button', { name: 'Save' }).click()
      await expectPage(card.getByText('Nothing sent yet')).toBeVisible()
      await card.getByRole('button', { name: `Send a test to ${title}` }).click()
      await expectPage(card.getByText('Working')).toBeVisible()
    }
    const key = await page.getByRole('region', { name: 'Webhook', exact: true }).locator('code').innerText()
    const tests = await state()
    expect(tests.requests.map(({ problem }) => problem).filter(Boolean)).toEqual([])

    await arrive(aCve('CVE-2026-20001', { lastModified: now(), published: now() }))
    const alerts = () => mail.mails.filter(({ subject }) => / · PH-\d+ \/ /.test(subject))
    const told = async () =>
      (await state()).requests
        .slice(tests.requests.length)
        .filter(({ taken, method, body }) => taken && method === 'POST' && body.includes('CVE-2026-20001'))
    await expect
      .poll(async () => [alerts().length, (await told()).length], { timeout: 60_000 })
      .toEqual([1, ways.length])
    // One more turn of the clock brings nothing more.
    await product.tick()
    await expect.poll(() => countWaiting(product.state)).toBe(0)
    const requests = await told()
    expect(requests.map(({ path }) => path).sort()).toEqual([
      '/hive/api/v1/alert',
      '/hook',
      '/misp/events/add',
      '/slack',
      '/teams',
    ])
    const hook = requests.find(({ path }) => path === '/hook')
    expect(new Webhook(key).verify(hook?.body ?? '', hook?.headers ?? {})).toMatchObject({ type: 'vulnerability.new' })
    expect(alerts()[0]?.subject).toMatch(/CVE-2026-20001 · PH-\d+ \/ new vulnerability · Private$/)

    await page.goto(`${product.url}/alerts`)
    const row = page.getByRole('row').filter({ hasText: 'CVE-2026-20001' })
    await expectPage(row).toHaveCount(1)
    for (const text of ['Sent', 'Concerns Acme · Widget', 'First seen', ...channels])
      await expectPage(row).toContainText(text)
    await row.getByRole('link', { name: 'Why CVE-2026-20001 was or was not alerted' }).click()
    await expectPage(page.getByRole('heading', { name: 'Why you are alerted about CVE-2026-20001' })).toBeVisible()

    // The proof counts without the ledger and must tell what the receivers got.
    await page.goto(`${product.url}/alerts`)
    await page.getByRole('tab', { name: 'Daily proof' }).click()
    const today = page.getByRole('row').filter({ hasText: 'so far' })
    await expectPage(today).toContainText('0 lost, 0 sent twice')
    for (const text of channels) await expectPage(today).toContainText(`${text}: 1`)
    // On a narrow screen its columns stand one below the other.
    const wide = page.viewportSize() ?? { width: 1280, height: 900 }
    await page.setViewportSize({ ...wide, width: 390 })
    const isWhole = () =>
      today.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth && clientWidth < 390)
    await expectPage.poll(isWhole).toBe(true)
    await page.setViewportSize(wide)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download CSV' }).click()
    expect((await download).suggestedFilename()).toBe('earshot_alert_proofs.csv')

    await page.goto(`${product.url}/settings?tab=alerting`)
    const mails = page.getByRole('region', { name: 'Reports by e-mail' })
    await mails.getByRole('switch', { name: /A daily report/ }).click({ force: true })
    await mails.getByRole('button', { name: 'Save', exact: true }).click()
    await expectPage(page.getByText('Organization settings updated !')).toBeVisible()
    await comeDue()
    const reports = () => mail.mails.filter(({ subject }) => subject.includes('daily report'))
    await expect.poll(() => reports().length, { timeout: 60_000 }).toBe(1)
    expect(reports()[0]?.text).toContain('CVE-2026-20001')
    await product.tick()
    await expect.poll(() => countWaiting(product.state)).toBe(0)
    expect([reports().length, alerts().length]).toEqual([1, 1])

    // The same report is a page that prints.
    const [path = ''] = /\/reports\/daily\/[\d-]+\?org=\d+/.exec(reports()[0]?.text ?? '') ?? []
    await page.goto(product.url + path)
    await expectPage(page.getByRole('heading', { name: 'Private: daily report' })).toBeVisible()
    await expectPage(page.getByRole('article')).toContainText('CVE-2026-20001')
    await page.emulateMedia({ media: 'print' })
    await expectPage(page.getByRole('button', { name: 'Print or save as PDF' })).toBeHidden()
    expect((await page.pdf()).subarray(0, 5).toString()).toBe('%PDF-')
    await page.close()
  },
)

const channels = ['E-mail', 'Slack', 'Microsoft Teams', 'TheHive', 'MISP', 'Webhook']
