import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Browser } from '@playwright/test'
import { afterAll, beforeAll, test } from 'vitest'
import { expectPage, hasBrowser, launchBrowser } from '../support/browser.ts'
import { aCsaf, aCsafVuln } from '../support/csaf.ts'
import { feedsFolder } from '../support/feeds-folder.ts'
import { startProduct, untilFeeds } from '../support/product.ts'
import type { Product } from '../support/product.ts'
import { aCve } from '../support/records.ts'
import { openSignedIn } from './support/desk.ts'

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

test.skipIf(!hasBrowser)(
  'from the list of bulletins to what one says of a CVE, to its vulnerability and weakness',
  async () => {
    const { page } = await openSignedIn({ browser, url: product.url })
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
