import type { Browser, BrowserContextOptions, Page } from '@playwright/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectPage, hasBrowser, launchBrowser } from '../support/browser.ts'
import { feedsFolder } from '../support/feeds-folder.ts'
import { startMailServer, type MailServer } from '../support/mail-server.ts'
import { admin, startProduct, untilFeeds, type Product } from '../support/product.ts'
import { aCve, aMetric } from '../support/records.ts'

let product: Product
let browser: Browser
let mail: MailServer
const cveid = 'CVE-2026-10001'
const evil = 'A flaw </script><script>document.title = "taken"</script><img src=x onerror="document.title = 1">'
const feeds = feedsFolder([
  aCve(cveid, {
    metrics: {
      cvssMetricV31: [aMetric('3.1', 9.8, 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H')],
      cvssMetricV2: [aMetric('2.0', 7.5, 'AV:N/AC:L/Au:N/C:P/I:P/A:P')],
    },
  }),
  aCve('CVE-2026-10002', { descriptions: [{ lang: 'en', value: evil }] }),
  aCve('CVE-2026-10003', { metrics: {} }),
])

beforeAll(async () => {
  if (!hasBrowser) return
  mail = await startMailServer()
  product = await startProduct({ feeds: feeds.folder, env: { SMTP_URL: mail.url, ADMIN_EMAIL: 'analyst@example.org' } })
  await untilFeeds(product.url, (all) => ['nvd', 'epss'].every((id) => Boolean(all.get(id)?.last_success)), 120)
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await product?.kill()
  await mail?.close()
})

async function aPage(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  return context.newPage()
}

async function signIn(page: Page) {
  await page.goto(`${product.url}/auth`)
  await page.getByLabel('Username').fill(admin.username)
  await page.getByLabel('Password', { exact: true }).fill(admin.password)
  await page.keyboard.press('Enter')
  await expectPage(page).toHaveURL(/\/homepage/)
}

async function publicId(cve: string) {
  const response = await fetch(`${product.url}/api/public/vulns/cve/${cve}`)
  return ((await response.json()) as { id: number }).id
}

const vectorIn = (page: Page) => new URL(page.url()).searchParams.get('vector') ?? ''

test.skipIf(!hasBrowser)('from a score to what it is on one’s own asset, by keyboard', async () => {
  const page = await aPage()
  await signIn(page)
  await page.goto(`${product.url}/vulns/${await publicId(cveid)}`)
  const own = await page.getByRole('region', { name: 'Score', exact: true }).innerText()
  await page.getByRole('link', { name: 'See how it is rated' }).press('Enter')

  const score = page.getByRole('status', { name: /Global score/ })
  const shown = async () => Number(/score (\d+) of/.exec((await score.getAttribute('aria-label')) ?? '')?.[1])
  await expectPage(score).toBeVisible()
  expect(own).toContain(`${await shown()}`)
  const [before, vector] = [await shown(), vectorIn(page)]

  await page.getByRole('radiogroup', { name: 'Exposure' }).getByRole('radio', { checked: true }).focus()
  for (const _ of ['Restricted', 'Internal', 'External']) await page.keyboard.press('ArrowRight')
  await expectPage(page).toHaveURL(/E%3AE/)
  expect(await shown()).toBeGreaterThan(before)
  expect(vectorIn(page).startsWith(vector.split('/').slice(0, 3).join('/'))).toBe(true)

  await page.reload()
  await expectPage(page.getByRole('radio', { name: /External/ })).toBeChecked()
  await page.getByRole('button', { name: 'Its own vector' }).press('Enter')
  await expectPage.poll(shown).toBe(before)
  await page.goBack()
  await expectPage(page).toHaveURL(/\/vulns\/\d+/)
  await page.context().close()
})

test.skipIf(!hasBrowser)(
  'the newsletter is offered once, taken by its dialog, and confirmed from the mailbox',
  async () => {
    const page = await aPage()
    const address = `${product.url}/public/vulns/${await publicId(cveid)}`
    await page.goto(address)
    const dialog = page.getByRole('dialog', { name: 'Newsletter' })
    const [email, subscribe] = [dialog.getByLabel('E-mail'), dialog.getByRole('button', { name: 'Subscribe' })]
    await expectPage(dialog).toBeVisible()
    await expectPage(subscribe).toBeDisabled()

    await email.fill('reader@')
    await email.blur()
    await expectPage(dialog.getByText('E-mail must be valid')).toBeVisible()
    await email.fill('')
    await email.blur()
    await expectPage(dialog.getByText('E-mail is required')).toBeVisible()
    await email.fill('reader@example.org')
    await page.keyboard.press('Enter')
    await expectPage(page.getByText('Subscription proceed. Thank you !')).toBeVisible()
    await expectPage(dialog).toBeHidden()

    await page.reload()
    await expectPage(page.getByRole('heading', { name: cveid })).toBeVisible()
    await expectPage(dialog).toBeHidden()

    const asked = () => mail.mails.filter(({ to }) => to.includes('reader@example.org'))
    await expect.poll(() => asked().length, { timeout: 30_000 }).toBe(1)
    const link = /http\S+\/public\/newsletter\/confirm\/\S+/.exec(asked()[0]?.text ?? '')?.[0] ?? ''
    await page.goto(link)
    await page.getByRole('button', { name: 'Confirm' }).click()
    await expectPage(page.getByRole('heading', { name: 'You are subscribed' })).toBeVisible()
    await page.context().close()
  },
)

test.skipIf(!hasBrowser)('a newsletter that cannot be taken says so', async () => {
  const page = await aPage()
  await page.goto(`${product.url}/public/vulns/${cveid}`)
  await page.route('**/api/alerts/newsletter', (route) => route.abort())
  const dialog = page.getByRole('dialog', { name: 'Newsletter' })
  await dialog.getByLabel('E-mail').fill('reader@example.org')
  await dialog.getByRole('button', { name: 'Subscribe' }).click()
  await expectPage(page.getByText('Unable to add to our newsletter')).toBeVisible()
  await expectPage(dialog).toBeHidden()
  await page.context().close()
})

test.skipIf(!hasBrowser)(
  'without a script one finds and reads a vulnerability, and asks for the newsletter',
  async () => {
    const page = await aPage({ javaScriptEnabled: false })
    await page.goto(`${product.url}/public/search`)
    await page.getByLabel('CVE id, PH id, vendor, product or words').fill(cveid)
    await page.locator('main').getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: cveid }).click()
    await expectPage(page.getByText(`A flaw in Widget lets a visitor do what ${cveid} says.`)).toBeVisible()
    await expectPage(page.getByRole('dialog')).toBeHidden()
    await page.getByRole('link', { name: 'Subscribe' }).click()
    await page.getByLabel('E-mail').fill('plain@example.org')
    await page.getByRole('button', { name: 'Subscribe' }).click()
    await expectPage(page.getByRole('heading', { name: 'Subscription proceed. Thank you !' })).toBeVisible()
    await page.context().close()
  },
)

test.skipIf(!hasBrowser)('a script in the text of a source runs nowhere', async () => {
  const page = await aPage()
  await page.goto(`${product.url}/public/vulns/CVE-2026-10002`)
  await expectPage(page).toHaveTitle(/^PH-\d+ CVE-2026-10002 · Earshot$/)
  await expectPage(page.locator('.summary')).toHaveText(evil)
  await page.goto(`${product.url}/public/search?q=${encodeURIComponent('flaw taken')}`)
  await expectPage(page).not.toHaveTitle(/^(taken|1)$/)
  await page.context().close()
})
