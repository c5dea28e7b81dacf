import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect as expectPage } from '@playwright/test'
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findViolations } from '../support/axe.ts'
import { hasBrowser, launchBrowser } from '../support/browser.ts'
import { aCsaf, aCsafVuln } from '../support/csaf.ts'
import { feedsFolder } from '../support/feeds-folder.ts'
import { admin, startProduct, untilFeeds } from '../support/product.ts'
import type { Product } from '../support/product.ts'
import { aCve } from '../support/records.ts'

let product: Product
let browser: Browser
const feeds = feedsFolder([aCve('CVE-2026-10001')])

function put(path: string, content: unknown) {
  mkdirSync(dirname(join(feeds.folder, path)), { recursive: true })
  writeFileSync(join(feeds.folder, path), JSON.stringify(content))
}
const vulnerabilities = [aCsafVuln('CVE-2026-10001'), aCsafVuln('CVE-2026-10002')]
put('csaf/redhat/2026/acsa-26-001.json', aCsaf({ vulnerabilities }))
put('csaf/redhat/2026/acsa-26-002.json', aCsaf({ id: 'ACSA-26-002', title: 'Beta Gadget', vendor: 'Beta' }))
put('cwe/cwe_v1.json', {
  weaknesses: [{ id: '79', name: 'Cross-site Scripting', abstraction: 'Base', description: 'Input stays as it is.' }],
})

beforeAll(async () => {
  if (!hasBrowser) return
  product = await startProduct({ feeds: feeds.folder })
  await untilFeeds(product.url, (all) => ['nvd', 'cwe', 'csaf'].every((id) => all.get(id)?.last_success), 120)
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await product?.kill()
})

async function signedIn(look: { colorScheme?: 'light' | 'dark'; viewport?: { width: number; height: number } } = {}) {
  const page: Page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...look })
  await page.goto(product.url)
  await page.getByLabel('Username').fill(admin.username)
  await page.getByLabel('Password', { exact: true }).fill(admin.password)
  await page.keyboard.press('Enter')
  await expectPage(page).toHaveURL(/\/homepage/)
  return page
}

test.skipIf(!hasBrowser)(
  'from the list of bulletins to what one says of a CVE, to its vulnerability and weakness',
  async () => {
    const page = await signedIn()
    await page.goto(`${product.url}/kb/bulletins`)
    await expectPage(page.getByRole('row')).toHaveCount(3)
    await page.getByRole('checkbox', { name: 'Select ACSA-26-001' }).check()
    await page.getByRole('button', { name: 'Monitor', exact: true }).click()
    await expectPage(page.getByText('Monitoring status successfuly updated.')).toBeVisible()
    await page.getByText('Show monitored only').click()
    await expectPage(page.getByRole('row')).toHaveCount(2)

    await page.getByRole('link', { name: 'ACSA-26-001' }).click()
    await expectPage(page.getByRole('heading', { level: 1, name: 'Acme Widget' })).toBeFocused()
    const cves = page.getByRole('region', { name: 'CVEs (2)' })
    await expectPage(cves.getByText('Widget <2.0').first()).toBeVisible()
    await cves.getByRole('link', { name: 'CWE-79' }).first().click()
    await expectPage(page.getByRole('heading', { level: 1 })).toHaveText('CWE-79 Cross-site Scripting')
    await page.goBack()
    await cves.getByRole('link', { name: 'CVE-2026-10001', exact: true }).click()
    await expectPage(page).toHaveURL(/\/vulns\/\d+/)
    await page.close()
  },
)

test.skipIf(!hasBrowser)('the screens of bulletins are accessible and fit, in both themes and widths', async () => {
  const broken: string[] = []
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 390]) {
      const page = await signedIn({ colorScheme, viewport: { width, height: 900 } })
      for (const path of ['/kb/bulletins', '/kb/bulletins/1', '/kb/cwe/79']) {
        await page.goto(product.url + path)
        await page.waitForLoadState('networkidle')
        const where = `${path} ${colorScheme} ${width}`
        const excess = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        if (Number(excess) > 0) broken.push(`${where}: ${excess} px too wide`)
        broken.push(...(await findViolations(page)).map((one) => `${where}: ${one}`))
      }
      await page.close()
    }
  expect(broken).toEqual([])
})
