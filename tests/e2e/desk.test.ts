import { expect as expectPage } from '@playwright/test'
import type { Browser, BrowserContextOptions, Locator, Page } from '@playwright/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linkTo, password } from '../support/accounts.ts'
import { findViolations } from '../support/axe.ts'
import { hasBrowser, launchBrowser } from '../support/browser.ts'
import { deskFeeds, known, middle, single } from '../support/desk-feeds.ts'
import { startMailServer } from '../support/mail-server.ts'
import type { MailServer } from '../support/mail-server.ts'
import { admin, signIn, startProduct, untilFeeds } from '../support/product.ts'
import type { Client, Product } from '../support/product.ts'

let product: Product
let browser: Browser
let mail: MailServer
let client: Client
let ids: Record<'vuln' | 'vendor' | 'product' | 'package' | 'bulletin', number>

beforeAll(async () => {
  if (!hasBrowser) return
  mail = await startMailServer()
  product = await startProduct({
    feeds: deskFeeds(),
    env: { SMTP_URL: mail.url, ADMIN_EMAIL: 'analyst@example.org' },
  })
  await untilFeeds(product.url, (all) => [...all.values()].every(({ last_success }) => last_success !== null), 120)
  client = await signIn(product.url)
  ids = await findIds()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await product?.kill()
  await mail?.close()
})

async function findIds() {
  const first = async (path: string) => {
    const { results } = await client.get<{ results: { id: number; vendor_id: number }[] }>(path)
    if (!results[0]) throw new Error(`${path} is empty`)
    return results[0]
  }
  const { id, vendor_id } = await first('/api/kb/products/?name=widget&vendor=acme')
  return {
    vuln: (await first(`/api/vulns/?search=${known}`)).id,
    vendor: vendor_id,
    product: id,
    package: (await first('/api/kb/packages/')).id,
    bulletin: (await first('/api/kb/bulletins/')).id,
  }
}

/** A page of somebody's own that keeps what went wrong on it. */
async function aPage(look: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...look })
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', ({ message }) => errors.push(`${page.url()}: ${message}`))
  page.on('console', (said) => said.type() === 'error' && errors.push(`${page.url()}: ${said.text()}`))
  return { page, errors, close: () => context.close() }
}

async function signedIn(look: BrowserContextOptions = {}, { username, password: secret } = admin) {
  const opened = await aPage(look)
  const { page } = opened
  await page.goto(product.url)
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(secret)
  await page.keyboard.press('Enter')
  await expectPage(page).toHaveURL(/\/homepage/)
  return opened
}

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

test.skipIf(!hasBrowser)('an analyst triages by keyboard alone, from the list to a comment and back', async () => {
  const { page, errors, close } = await signedIn()
  const { keyboard } = page
  await page.goto(`${product.url}/vulns`)
  await expectPage(row(page, 'CVE-2026-')).toHaveCount(10)

  await keyboard.press('/')
  await expectPage(page.getByLabel('Search vulnerabilities')).toBeFocused()
  await keyboard.type('widget')
  await keyboard.press('Enter')
  await expectPage(row(page, 'CVE-2026-')).toHaveCount(4)
  await keyboard.press('Tab')

  const focused = page.locator('tr:focus')
  for (const [key, at] of [
    ['j', 1],
    ['j', 2],
    ['k', 1],
  ] as const) {
    await keyboard.press(key)
    await expectPage(page.getByRole('row').nth(at)).toBeFocused()
  }
  for (let at = 1; !(await focused.innerText()).includes(middle); at++) {
    expect(at, `${middle} is in the list`).toBeLessThan(5)
    await keyboard.press('j')
  }
  await keyboard.press('m')
  await expectPage(page.getByText('Vulnerability monitoring successfuly updated.')).toBeVisible()
  await expectPage(focused).toContainText('Yes')

  await keyboard.press('Enter')
  await expectPage(page).toHaveURL(/\/vulns\/\d+$/)
  await expectPage(page.getByRole('heading', { level: 1 })).toBeFocused()
  const status = page.getByLabel('Status', { exact: true })
  await tabTo(page, status)
  await keyboard.type('In Progress')
  await expectPage(page.getByText('Status successfuly modified.')).toBeVisible()
  await expectPage(status).toHaveValue('in_progress')
  await expectPage(status).toBeFocused()

  await tabTo(page, page.getByRole('tab', { name: 'Summary' }))
  for (const _ of ['exploits', 'threats', 'comments']) await keyboard.press('ArrowRight')
  const comment = page.getByLabel('Your comment')
  await expectPage(comment).toBeVisible()
  await tabTo(page, comment)
  await keyboard.type('The east gate runs it.')
  await keyboard.press('Control+Enter')
  await expectPage(page.getByRole('tab', { name: 'Comments (1)' })).toBeVisible()
  await expectPage(page.getByRole('listitem').filter({ hasText: 'The east gate runs it.' })).toContainText(
    admin.username,
  )

  await page.goBack()
  await expectPage(page).toHaveURL(/\/vulns\?search=widget/)
  await expectPage(row(page, middle)).toContainText('Yes')
  await page.goto(`${product.url}/vulns?q=status:in_progress`)
  await expectPage(page.getByRole('row')).toHaveCount(2)
  await expectPage(row(page, middle)).toBeVisible()
  expect(errors).toEqual([])
  await close()
})

test.skipIf(!hasBrowser)('each id of a vulnerability leads to where it is told of', async () => {
  const { page, errors, close } = await signedIn()
  await page.goto(`${product.url}/vulns/${ids.vuln}`)
  for (const [name, url] of [
    ['NVD', `https://nvd.nist.gov/vuln/detail/${known}`],
    ['cve.org', `https://www.cve.org/CVERecord?id=${known}`],
    ['PYSEC-2026-1', 'https://osv.dev/vulnerability/PYSEC-2026-1'],
  ] as const)
    await expectPage(page.getByRole('link', { name, exact: true }).first()).toHaveAttribute('href', url)
  expect(errors).toEqual([])
  await close()
})

/** By the tabulator alone, as far as one would go. */
async function tabTo(page: Page, target: Locator) {
  for (let pressed = 0; pressed < 40; pressed++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  await expectPage(target).toBeFocused()
}

test.skipIf(!hasBrowser)('a query is mended where it is wrong, saved, shared, and opened by a colleague', async () => {
  const { page, errors, close } = await signedIn()
  await page.goto(`${product.url}/vulns`)
  await page.getByRole('link', { name: 'How to ask' }).click()
  const help = page.getByRole('heading', { name: 'Asking exactly' })
  const top = async () => (await help.boundingBox())?.y ?? 0
  const bar = await page.getByRole('banner').boundingBox()
  await expectPage.poll(top).toBeLessThan(150)
  expect(await top()).toBeGreaterThanOrEqual(bar?.height ?? Infinity)
  await page.goBack()
  const query = page.getByRole('combobox', { name: 'Query' })
  await query.fill('cvss3>=9 AND (vendr:acme OR kev)')
  await expectPage(page.getByRole('alert')).toContainText('There is no field vendr at 15')
  await expectPage(page.getByRole('alert').locator('mark')).toHaveText('vendr')
  await query.press('Enter')
  await expectPage(page).not.toHaveURL(/q=/)

  await query.fill('cvss3>=9 AND (vendor:acme OR kev)')
  await query.press('Enter')
  await expectPage(page.getByRole('alert')).toHaveCount(0)
  await expectPage(page.getByRole('row')).toHaveCount(2)
  await expectPage(row(page, known)).toBeVisible()

  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: 'Save this view…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save this view' })
  await dialog.getByLabel('Name').fill('Burning')
  await dialog.getByRole('switch', { name: 'Share it in the organization' }).check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expectPage(page.getByText('View saved.')).toBeVisible()
  await expectPage(page.getByRole('button', { name: 'Burning' })).toBeVisible()
  expect(errors).toEqual([])
  await close()

  const colleague = await signedIn({}, await aColleague('carla'))
  await colleague.page.goto(`${product.url}/vulns`)
  await colleague.page.getByRole('button', { name: 'Views' }).click()
  await colleague.page.getByRole('menuitem', { name: `Burning ${admin.username}` }).click()
  await expectPage(colleague.page.getByRole('combobox', { name: 'Query' })).toHaveValue(
    'cvss3>=9 AND (vendor:acme OR kev)',
  )
  await expectPage(colleague.page.getByRole('row')).toHaveCount(2)
  await expectPage(row(colleague.page, known)).toBeVisible()
  expect(colleague.errors).toEqual([])
  await colleague.close()
})

/** A member of the admin's organization, invited and registered. */
async function aColleague(username: string) {
  const email = `${username}@example.org`
  const { current_org } = await client.get<{ current_org: { org_id: number } }>('/users/api/current')
  await client.post(`/users/${current_org.org_id}/adduser`, { emails: email })
  const token = new URL(await linkTo(mail, email, /invited/)).searchParams.get('token')
  const names = { first_name: 'Carla', last_name: '' }
  await client.post(`/users/activate/${token}`, { username, password, password_confirm: password, ...names })
  return { username, password }
}

test.skipIf(!hasBrowser)(
  'a score is taken apart on the ratings, and what one changes there stays in the address',
  async () => {
    const { page, errors, close } = await signedIn()
    await page.goto(`${product.url}/vulns/${ids.vuln}`)
    await page.getByRole('link', { name: 'See how it is rated' }).click()
    await expectPage(page).toHaveURL(/\/ratings\?vector=/)
    const score = page.getByRole('status', { name: /Global score/ })
    const asset = page.getByRole('img', { name: /^Asset: / })
    const [before, assetBefore] = [await score.getAttribute('aria-label'), await asset.getAttribute('aria-label')]

    const choices = [
      ['Exposure', 'Restricted'],
      ['Exposure', 'External'],
    ] as const
    const seen = new Set([page.url()])
    for (const [name, choice] of choices) {
      await page.getByRole('radiogroup', { name }).getByText(choice, { exact: true }).click()
      await expectPage.poll(() => seen.has(page.url())).toBe(false)
      seen.add(page.url())
    }
    await expectPage(asset).not.toHaveAttribute('aria-label', assetBefore ?? '')
    const after = await score.getAttribute('aria-label')
    expect(after).not.toBe(before)

    await page.reload()
    await expectPage(score).toHaveAttribute('aria-label', after ?? '')
    await expectPage(page.getByRole('radiogroup', { name: 'Exposure' }).getByLabel('External')).toBeChecked()
    expect(errors).toEqual([])
    await close()
  },
)

test.skipIf(!hasBrowser)(
  'a visitor reads the public page, subscribes by its dialog, confirms, and leaves again',
  async () => {
    const { page, errors, close } = await aPage()
    await page.goto(`${product.url}/public/vulns/${ids.vuln}`)
    const data = await page.locator('script[type="application/ld+json"]').textContent()
    expect(JSON.parse(data ?? '')).toMatchObject({
      '@type': 'TechArticle',
      identifier: [`PH-${ids.vuln}`, known],
      keywords: expect.arrayContaining([known, 'CWE-79', 'widget']),
    })
    await expectPage(page.locator('meta[property="og:title"]')).toHaveAttribute('content', new RegExp(known))

    const dialog = page.getByRole('dialog', { name: 'Newsletter' })
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('link', { name: 'Subscribe' }).click()
    const email = dialog.getByLabel('E-mail')
    await email.fill('reader at example.org')
    await email.blur()
    await expectPage(dialog.getByText('E-mail must be valid')).toBeVisible()
    await expectPage(dialog.getByRole('button', { name: 'Subscribe' })).toBeDisabled()
    await email.fill('visitor@example.org')
    await dialog.getByRole('button', { name: 'Subscribe' }).click()
    await expectPage(page.getByText('Subscription proceed. Thank you !')).toBeVisible()

    await page.goto(await linkTo(mail, 'visitor@example.org', /Confirm/))
    await page.getByRole('button', { name: 'Confirm' }).click()
    await expectPage(page.getByRole('heading', { name: 'You are subscribed' })).toBeVisible()

    const said = mail.mails.findLast(({ to }) => to.includes('visitor@example.org'))?.text
    await page.goto(/http\S+\/public\/newsletter\/unsubscribe\/[\w-]+/.exec(said ?? '')?.[0] ?? '')
    await page.getByRole('button', { name: 'Unsubscribe' }).click()
    await expectPage(page.getByRole('heading', { name: 'You are unsubscribed' })).toBeVisible()
    expect(errors).toEqual([])
    await close()
  },
)

test.skipIf(!hasBrowser)('a version of a product shows what affects it alone, until it is reset', async () => {
  const { page, errors, close } = await signedIn()
  await page.goto(`${product.url}/product/${ids.product}`)
  const shown = async () => {
    const texts = await page.getByRole('table', { name: 'Vulnerabilities' }).getByRole('row').allInnerTexts()
    return [known, middle, single].filter((cveid) => texts.some((text) => text.includes(cveid)))
  }
  const chip = (version: string) =>
    page.getByRole('list', { name: 'Known versions' }).getByRole('button', { name: version, exact: true })
  await expectPage.poll(shown).toEqual([known, middle, single])

  await chip('2.0').click()
  await expectPage(page).toHaveURL(/product_version=2.0/)
  await expectPage.poll(shown).toEqual([middle])
  await chip('1.4').click()
  await expectPage.poll(shown).toEqual([known, single])
  await expectPage(chip('1.4')).toHaveAttribute('aria-pressed', 'true')
  await page.reload()
  await expectPage.poll(shown).toEqual([known, single])
  await page.getByRole('button', { name: 'Reset the version' }).click()
  await expectPage(page).not.toHaveURL(/product_version/)
  await expectPage.poll(shown).toEqual([known, middle, single])
  expect(errors).toEqual([])
  await close()
})

test.skipIf(!hasBrowser)('each list and page of the knowledge base shows what its sources said', async () => {
  const { page, errors, close } = await signedIn()
  for (const [path, text] of [
    [`/vendor/${ids.vendor}`, middle],
    ['/packages', 'acme-widget'],
    [`/packages/${ids.package}`, known],
    ['/kb/bulletins', 'ACSA-26-001'],
    [`/kb/bulletins/${ids.bulletin}`, known],
    ['/kb/cves', 'CVE-2026-20008'],
    ['/exploits', known],
    ['/search/widget', single],
    ['/settings?tab=sync', 'CISA KEV'],
  ] as const) {
    await page.goto(product.url + path)
    await expectPage(page.getByRole('main').getByText(text).first()).toBeVisible()
  }
  expect(errors).toEqual([])
  await close()
})

const tabsOf = (path: string, ...tabs: string[]) => [path, ...tabs.map((tab) => `${path}?tab=${tab}`)]

/** Every screen of an analyst, and the public ones. */
const screens = () => [
  '/homepage',
  '/homepage?firststeps=1',
  ...tabsOf('/search/widget', 'exploits', 'threats', 'advisories', 'tools'),
  '/test-as',
  '/vulns',
  '/vulns?q=cvss3%3E%3D9+AND+vendor%3Aacme',
  '/vulns?q=vendr%3Aacme',
  '/vulns?search=nothing-of-the-kind',
  ...tabsOf(`/vulns/${ids.vuln}`, 'exploits', 'threats', 'comments', 'history', 'records'),
  '/exploits',
  '/ratings',
  `/ratings?vuln=${ids.vuln}`,
  '/ratings?vector=AV:Q/nonsense',
  ...tabsOf('/vendors', 'products'),
  ...tabsOf(`/vendor/${ids.vendor}`, 'products'),
  '/products',
  ...tabsOf(`/product/${ids.product}`, 'timeline'),
  `/product/${ids.product}?product_version=1.4`,
  '/packages',
  ...tabsOf(`/packages/${ids.package}`, 'timeline'),
  '/kb/cves',
  '/kb/cwe/79',
  '/kb/bulletins',
  `/kb/bulletins/${ids.bulletin}`,
  '/alerts',
  '/monitoring',
  ...tabsOf('/settings', 'alerting', 'orgs', 'audit', 'sso', 'sync'),
  '/help',
  '/nowhere',
  `/public/vulns/${ids.vuln}`,
  '/public/vulns/CVE-2026-10004',
  '/public/vulns/999999',
  '/public/search?q=widget',
  '/public/search?q=nothing-of-the-kind',
  '/public/newsletter',
]

test.skipIf(!hasBrowser)(
  'every screen opens without an error, fits its window and is accessible, in light and dark',
  { timeout: 180_000 },
  async () => {
    const all = screens()
    const lanes = [all.filter((_, at) => at % 2 === 0), all.filter((_, at) => at % 2 === 1)]
    const found = await Promise.all(lanes.map(walk))
    // A wrong query or vector is refused, and what is not there is not found.
    const refused = /(\?q=vendr|\?vector=AV:Q|\/public\/vulns\/999999)\S* .*\b40[04]\b/
    expect(found.flat().filter((said) => !refused.test(said))).toEqual([])
  },
)

async function walk(paths: string[]) {
  const { page, errors, close } = await signedIn()
  const broken: string[] = []
  for (const path of paths) {
    await open(page, path)
    broken.push(...(await findBroken(page, path)))
  }
  await close()
  return [...broken, ...errors]
}

async function open(page: Page, path: string) {
  await page.goto(product.url + path)
  await expectPage(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.waitForLoadState('networkidle')
}

test.skipIf(!hasBrowser)(
  'what opens over a screen is accessible as well, in light and dark',
  { timeout: 120_000 },
  async () => {
    const { page, errors, close } = await signedIn()
    const broken: string[] = []
    const vuln = `/vulns/${ids.vuln}`
    const more = `More for PH-${ids.vuln}`
    for (const [path, ...buttons] of [
      ['/vulns', 'Add'],
      ['/vulns', 'Keyboard shortcuts'],
      ['/vulns', 'Export'],
      ['/vulns', 'Add filter'],
      ['/vulns', 'Views', 'Save this view…'],
      [vuln, more],
      [vuln, more, 'Send by mail'],
      [`${vuln}?tab=threats`, 'Add threat activity'],
      ['/settings?tab=sync', 'Details: NVD'],
    ] as const) {
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

const looks = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 390 },
] as const

/** What is wrong with the page as it stands, in both looks. */
async function findBroken(page: Page, where: string) {
  const broken: string[] = []
  for (const { colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    await untilStill(page)
    const isWide = await fits(page).then(
      () => false,
      () => true,
    )
    const hasDialog = (await page.getByRole('dialog').count()) > 0
    // The header of a dialog is its own; axe takes it for a second one of the page.
    const rules = (await findViolations(page)).filter((rule) => !hasDialog || !rule.startsWith('landmark-'))
    broken.push(
      ...[...rules, ...(isWide ? ['wider than the window'] : [])].map((one) => `${where} ${colorScheme}: ${one}`),
    )
  }
  return broken
}

/** What floats finds its place anew when the window has changed. */
const fits = (page: Page) =>
  page.waitForFunction(() => document.documentElement.scrollWidth <= window.innerWidth, undefined, { timeout: 2_000 })

/** What still fades has colours that are not its own. */
const untilStill = (page: Page) =>
  page.evaluate(async () => {
    const passing = document.getAnimations().filter(({ effect }) => effect?.getTiming().iterations !== Infinity)
    await Promise.allSettled(passing.map(({ finished }) => finished))
  })
