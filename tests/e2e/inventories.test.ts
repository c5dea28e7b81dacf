import { writeFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect as expectPage } from '@playwright/test'
import type { Browser } from '@playwright/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasBrowser, launchBrowser } from '../support/browser.ts'
import { admin, signIn, startProduct, untilFeeds } from '../support/product.ts'
import type { Product } from '../support/product.ts'

// The records of a new installation: log4j's is among them.
const starter = fileURLToPath(new URL('../../scripts/starter/', import.meta.url))
const log4j = (version: string) => `pkg:maven/org.apache.logging.log4j/log4j-core@${version}`
const folder = mkdtempSync(join(tmpdir(), 'earshot-boms-'))

function aBom(name: string, purls: string[]) {
  const components = purls.map((purl, at) => ({ type: 'library', 'bom-ref': `c${at}`, name: `part${at}`, purl }))
  const app = { type: 'application', 'bom-ref': 'app', name: 'shop', version: '1.0' }
  const dependencies = [{ ref: 'app', dependsOn: components.map((one) => one['bom-ref']) }]
  const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', metadata: { component: app }, components, dependencies }
  const path = join(folder, name)
  writeFileSync(path, JSON.stringify(bom))
  return { path, text: JSON.stringify(bom) }
}

let product: Product
let browser: Browser
beforeAll(async () => {
  if (!hasBrowser) return
  product = await startProduct({ feeds: starter })
  await untilFeeds(product.url, (all) => ['nvd', 'osv', 'kev'].every((id) => all.get(id)?.last_success), 120)
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await product?.kill()
})

test.skipIf(!hasBrowser)(
  'a bill of materials is dropped, and 2.14.1 of log4j-core is affected while 2.17.1 is not',
  async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    await page.goto(product.url)
    await page.getByLabel('Username').fill(admin.username)
    await page.getByLabel('Password', { exact: true }).fill(admin.password)
    await page.keyboard.press('Enter')
    await expectPage(page).toHaveURL(/\/homepage/)
    await page.getByRole('link', { name: 'Inventories' }).click()
    await expectPage(page.getByText('No inventory yet')).toBeVisible()

    const { path } = aBom('shop.cdx.json', [log4j('2.14.1'), log4j('2.17.1'), 'pkg:npm/nobody-knows@1.0.0'])
    await page.locator('input[type=file]').setInputFiles(path)
    await expectPage(page.getByLabel('Name of the inventory')).toHaveValue('shop')
    await page.getByRole('button', { name: 'Send' }).click()
    await expectPage(page.getByText('shop is here')).toBeVisible()
    await page.getByRole('link', { name: 'Open it' }).click()

    const upgrades = page.getByRole('table', { name: 'Upgrades' })
    await expectPage(upgrades.getByRole('row').nth(1)).toContainText('part0 to')
    await page.getByRole('tab', { name: 'Findings' }).click()
    const findings = page.getByRole('table', { name: 'Findings' })
    await expectPage(findings.getByText('CVE-2021-44228').first()).toBeVisible()
    await expectPage(findings.getByText('part0').first()).toBeVisible()
    await expectPage(findings.getByText('part1 2.17.1')).toHaveCount(0)
    await expectPage(findings.getByText('Needed by shop 1.0').first()).toBeVisible()
    await page.getByRole('tab', { name: 'Components' }).click()
    const components = page.getByRole('table', { name: 'Components' })
    await expectPage(components.getByText('Not matched: nothing is known of it')).toBeVisible()
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.getByRole('tab', { name: 'Fix first' }).click()
    await page.goto(`${product.url}/monitoring/inventories`)
    await expectPage(page.getByRole('link', { name: 'shop' })).toBeVisible()
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.close()
  },
)

test.skipIf(!hasBrowser)(
  'a build sends its bill of materials twice with an API token, and hears the difference',
  async () => {
    const client = await signIn(product.url)
    const { token } = await client.post<{ token: string }>('/users/tokens', { name: 'build', scope: 'write' })
    const send = async (purls: string[]) => {
      const response = await fetch(`${product.url}/api/inventories/from-ci`, {
        method: 'PUT',
        headers: { authorization: `Token ${token}` },
        body: aBom('ci.json', purls).text,
      })
      return (await response.json()) as { findings: Record<'new' | 'gone', { count: number }>; is_new: boolean }
    }
    const first = await send([log4j('2.14.1')])
    expect(first.is_new).toBe(true)
    expect(first.findings.new.count).toBeGreaterThan(0)
    const second = await send([log4j('2.17.1')])
    expect(second.findings.new.count).toBe(0)
    expect(second.findings.gone.count).toBe(first.findings.new.count)
  },
)
