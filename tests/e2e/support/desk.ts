import type { Browser, BrowserContextOptions, Locator, Page } from '@playwright/test'
import { linkTo } from '../../support/accounts.ts'
import { expectPage, launchBrowser } from '../../support/browser.ts'
import { deskFeeds, knownCve } from '../../support/desk-feeds.ts'
import { startMailServer } from '../../support/mail-server.ts'
import { admin, signInByApi, startProduct, untilFeeds, type ApiClient } from '../../support/product.ts'
import { password } from '../../support/credentials.ts'

export type Desk = Awaited<ReturnType<typeof startDesk>>

/** The product with the feeds of a desk, a browser and a mail server. */
export async function startDesk() {
  const mail = await startMailServer()
  const product = await startProduct({
    feeds: deskFeeds(),
    env: { SMTP_URL: mail.url, ADMIN_EMAIL: 'analyst@example.org' },
  })
  const close = async () => {
    await product.kill()
    await mail.close()
  }
  try {
    await untilFeeds(product.url, (all) => [...all.values()].every(({ last_success }) => last_success !== null), 120)
    const client = await signInByApi(product.url)
    const ids = await findIds(client)
    const browser = await launchBrowser()
    return {
      url: product.url,
      tick: product.tick,
      mail,
      client,
      ids,
      browser,
      close: () => browser.close().then(close),
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function findIds(client: ApiClient) {
  const first = async (path: string) => {
    const { results } = await client.get<{ results: { id: number; vendor_id: number }[] }>(path)
    if (!results[0]) throw new Error(`${path} is empty`)
    return results[0]
  }
  const { id, vendor_id } = await first('/api/kb/products/?name=widget&vendor=acme')
  return {
    vuln: (await first(`/api/vulns/?search=${knownCve}`)).id,
    vendor: vendor_id,
    product: id,
    package: (await first('/api/kb/packages/')).id,
    bulletin: (await first('/api/kb/bulletins/')).id,
  }
}

/** A page of somebody's own that keeps what went wrong on it. */
export async function openPage(browser: Browser, look: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...look })
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', ({ message }) => errors.push(`${page.url()}: ${message}`))
  page.on('response', (response) => {
    if (response.status() >= 500) errors.push(`${response.request().method()} ${response.url()}: ${response.status()}`)
  })
  page.on('console', (line) => line.type() === 'error' && errors.push(`${page.url()}: ${line.text()}`))
  return { page, errors, close: () => context.close() }
}

export async function openSignedIn(
  { browser, url }: Pick<Desk, 'browser' | 'url'>,
  { username, password: secret } = admin,
) {
  const opened = await openPage(browser)
  const { page } = opened
  await page.goto(url)
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(secret)
  await page.keyboard.press('Enter')
  await expectPage(page).toHaveURL(/\/homepage/)
  return opened
}

/** A member of the admin's organization, invited and registered. */
export async function aColleague({ client, mail }: Desk, username: string) {
  const email = `${username}@example.org`
  const { current_org } = await client.get<{ current_org: { org_id: number } }>('/users/api/current')
  const invited = await client.post<{ status: string }>(`/users/${current_org.org_id}/adduser`, { emails: email })
  if (invited.status !== 'success') throw new Error(`${email} was not invited: ${JSON.stringify(invited)}`)
  const token = new URL(await linkTo(mail, email, /invited/)).searchParams.get('token')
  const names = { first_name: 'Carla', last_name: '' }
  await client.post(`/users/activate/${token}`, { username, password, password_confirm: password, ...names })
  return { username, password }
}

/** Presses Tab until the target has the focus. */
export async function tabTo(page: Page, target: Locator) {
  await expectPage(target).toBeVisible()
  await expectPage(target).toBeEnabled()
  for (let pressed = 0; pressed < 40; pressed++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  await expectPage(target).toBeFocused()
}

export const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
