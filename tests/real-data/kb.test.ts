import { cpSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectPage, hasBrowser, launchBrowser } from '../support/browser.ts'
import { findMissed, goldenSearches } from '../support/golden-search.ts'
import { admin, signInByApi, startProduct, untilFeeds, type Product } from '../support/product.ts'
import { openSignedIn } from '../e2e/support/desk.ts'
import { realFeeds } from '../support/real-data.ts'

// Real records, of the mirror that stands beside the repository.
const mirror = fileURLToPath(new URL('sample/', realFeeds))

const parts: [from: string, to: string][] = [
  ['nvd/nvdcve-2.0-sample.json.gz', 'nvd/2.0/nvdcve-2.0-sample.json.gz'],
  ['nvd/nvdcve-1.1-sample.json.gz', 'nvd/1.1/nvdcve-1.1-sample.json.gz'],
  ['cve5', 'cve5'],
  ['exploitdb', 'exploitdb'],
  ['metasploit', 'metasploit'],
  ['cisa-kev', 'cisa-kev'],
  ['epss', 'epss'],
]
let product: Product
let browser: Browser

const whole = process.env.GOLDEN_URL

beforeAll(async () => {
  if (whole) return
  const folder = mkdtempSync(join(tmpdir(), 'earshot-sample-'))
  for (const [from, to] of parts) cpSync(join(mirror, from), join(folder, to), { recursive: true })
  product = await startProduct({ feeds: folder })
  await untilFeeds(
    product.url,
    (all) => ['nvd', 'cve', 'kev', 'exploitdb', 'metasploit'].every((id) => all.get(id)?.last_success),
    170,
  )
  if (hasBrowser) browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await product?.kill()
})

const main = (page: Page) => page.getByRole('main')

test.skipIf(!hasBrowser)('from the vendors to the one version that Heartbleed affects, and back', async () => {
  const { page } = await openSignedIn({ browser, url: product.url })
  await page.goto(`${product.url}/vendors`)
  await page.getByLabel('Search vendors').fill('openssl')
  await expectPage(page).toHaveURL(/search=openssl/)
  // A row that moves between press and release is no click.
  await page.waitForLoadState('networkidle')
  await page.getByRole('link', { name: 'OpenSSL', exact: true }).click()
  await expectPage(page.getByRole('heading', { level: 1, name: 'OpenSSL' })).toBeVisible()

  await page.getByRole('button', { name: 'Not monitored: monitor openssl with all its products' }).click()
  await expectPage(page.getByText('Monitoring status successfuly updated.')).toBeVisible()
  await page.getByRole('tab', { name: 'Products' }).click()
  await expectPage(page.getByRole('button', { name: 'Yes: monitor openssl openssl' })).toBeVisible()
  await page.getByRole('link', { name: 'OpenSSL', exact: true }).click()

  const heartbleed = main(page).getByRole('link', { name: 'CVE-2014-0160', exact: true })
  await page.getByLabel('Version', { exact: true }).fill('1.0.1f')
  await page.keyboard.press('Enter')
  await expectPage(page.getByRole('heading', { name: 'Vulnerabilities that affect 1.0.1f' })).toBeVisible()
  await expectPage(heartbleed).toBeVisible()

  await page.getByLabel('Version', { exact: true }).fill('1.0.1g')
  await page.keyboard.press('Enter')
  await expectPage(page.getByRole('heading', { name: 'Vulnerabilities that affect 1.0.1g' })).toBeVisible()
  await expectPage(heartbleed).toHaveCount(0)

  await page.goBack()
  await expectPage(heartbleed).toBeVisible()
  await page.getByRole('button', { name: 'Reset the version' }).click()
  await expectPage(page).toHaveURL(/\/product\/\d+$/)

  await page.getByRole('tab', { name: 'Timeline' }).click()
  await heartbleed.click()
  await expectPage(page).toHaveURL(/\/vulns\/\d+/)
  await page.close()
})

test.skipIf(!hasBrowser)('the CVE list by keyboard: search, read on, choose, monitor', async () => {
  const { page } = await openSignedIn({ browser, url: product.url })
  await page.goto(`${product.url}/kb/cves`)
  await page.getByLabel('Search CVEs').focus()
  await page.keyboard.type('heartbleed')
  await page.keyboard.press('Enter')
  await expectPage(main(page).getByRole('link', { name: 'CVE-2014-0160' })).toBeVisible()
  await page.getByRole('button', { name: 'more' }).first().press('Enter')
  await expectPage(page.getByRole('button', { name: 'less' })).toBeVisible()
  await page.getByLabel('Select CVE-2014-0160').press('Space')
  await page.getByRole('button', { name: 'Monitor', exact: true }).press('Enter')
  await expectPage(page.getByText('Monitoring status successfuly updated.')).toBeVisible()
  await page.close()
})

test.skipIf(!hasBrowser)('an admin sees each feed, runs one, and what it did', async () => {
  const { page } = await openSignedIn({ browser, url: product.url })
  await page.goto(`${product.url}/settings?tab=sync`)
  await page.getByRole('button', { name: 'Run now: CISA KEV' }).click()
  await expectPage(page.getByText('Sync successfuly enqueued.')).toBeVisible()
  await page.getByRole('button', { name: 'Details: NVD' }).click()
  await expectPage(page.getByRole('table', { name: 'Last runs' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expectPage(page).toHaveURL(/tab=sync$/)
  await page.close()
})

/** With `GOLDEN_URL` all searches are tried on a product that has read the whole mirror; here those that its sample knows. */
test('terms that analysts type find what they look for among the first five', async () => {
  const client = await signInByApi(
    whole ?? product.url,
    whole ? { ...admin, password: process.env.GOLDEN_PASSWORD ?? '' } : admin,
  )
  const known = new Set(readFileSync(join(mirror, 'cve-ids.txt'), 'utf8').split(/\s+/))
  const isInSample = ({ expected }: { expected: string[] }) => expected.some((one) => known.has(one))
  const tried = whole ? goldenSearches : goldenSearches.filter(isInSample)
  const missed = await findMissed(client, tried)
  expect(tried.length).toBeGreaterThan(whole ? 119 : 70)
  expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(whole ? 10 : 6)
}, 600_000)
