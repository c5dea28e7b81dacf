import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Browser } from '@playwright/test'
import { afterAll, beforeAll, test } from 'vitest'
import { expectPage, hasBrowser, launchBrowser } from '../support/browser.ts'
import { aCsaf, aCsafVuln } from '../support/csaf.ts'
import { aModule, aRepository, aRow, exploitsFile } from '../support/exploits.ts'
import { feedsFolder } from '../support/feeds-folder.ts'
import { signInByApi, startProduct, untilFeeds, type Product } from '../support/product.ts'
import { aCve } from '../support/records.ts'
import { openSignedIn } from './support/desk.ts'

let product: Product
let browser: Browser
let id: number
const { folder } = feedsFolder([aCve('CVE-2017-0144'), aCve('CVE-2026-10001')])
const put = (path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

beforeAll(async () => {
  if (!hasBrowser) return
  put('exploitdb/files_exploits.csv', exploitsFile(aRow({})))
  put('metasploit/modules_metadata_base.json', JSON.stringify({ eternalblue: aModule({ rank: 600 }) }))
  put('poc-in-github/2017/CVE-2017-0144.json', JSON.stringify([aRepository('acme/blue')]))
  const vulnerabilities = [aCsafVuln('CVE-2026-10001'), aCsafVuln('CVE-2026-10002')]
  put('csaf/redhat/2026/acsa-26-001.json', JSON.stringify(aCsaf({ vulnerabilities })))
  const other = aCsaf({ id: 'ACSA-26-002', title: 'Beta Gadget', vendor: 'Beta' })
  put('csaf/redhat/2026/acsa-26-002.json', JSON.stringify(other))
  const weakness = { id: '79', name: 'Cross-site Scripting', abstraction: 'Base', description: 'Input stays as it is.' }
  put('cwe/cwe_v1.json', JSON.stringify({ weaknesses: [weakness] }))
  product = await startProduct({ feeds: folder })
  await untilFeeds(product.url, (all) => [...all.values()].every(({ last_success }) => last_success !== null), 120)
  const client = await signInByApi(product.url)
  const { results } = await client.get<{ results: { id: number }[] }>('/api/vulns/?search=CVE-2017-0144')
  id = results[0]?.id ?? 0
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await product?.kill()
})

test.skipIf(!hasBrowser)(
  'an analyst finds an exploit, opens its vulnerability, and keeps one of their own there',
  { timeout: 120_000 },
  async () => {
    const { page } = await openSignedIn({ browser, url: product.url })
    const latest = page.getByRole('table', { name: 'Latest exploits metadata (Top 20)' })
    await expectPage(latest.getByRole('row')).toHaveCount(4)

    await page.getByRole('link', { name: 'Exploits', exact: true }).click()
    await expectPage(page.getByRole('heading', { name: 'Exploits', level: 1 })).toBeFocused()
    await page.getByLabel('Search exploits').fill('eternalblue')
    await page.keyboard.press('Enter')
    await expectPage(page).toHaveURL(/search=eternalblue/)
    const found = page.getByRole('table', { name: 'Exploits' }).getByRole('row')
    await expectPage(found).toHaveCount(2)
    await expectPage(found.nth(1).getByRole('img', { name: 'Relevancy 5 of 5: very high' })).toBeVisible()
    await page.getByRole('link', { name: 'View CVE-2017-0144' }).click()
    await expectPage(page).toHaveURL(new RegExp(`/vulns/${id}$`))

    await page.getByRole('tab', { name: 'Exploits (3)' }).click()
    await page.getByRole('button', { name: 'Add exploit' }).press('Enter')
    await expectPage(page.getByLabel('Link')).toBeFocused()
    await page.keyboard.press('End')
    await page.keyboard.type('acme.example/exploit')
    await page.keyboard.press('Enter')
    await expectPage(page.getByText('Exploit successfuly saved.')).toBeVisible()
    await expectPage(page.getByRole('tab', { name: 'Exploits (4)' })).toBeVisible()

    await page.getByRole('button', { name: 'Edit https://acme.example/exploit' }).click()
    await page.getByLabel('Maturity').selectOption('Functional')
    await page.getByLabel('Notes').fill('Works on Windows 7')
    await page.getByRole('button', { name: 'Save' }).click()
    await expectPage(page.getByTitle('Works on Windows 7')).toBeVisible()
    await page.getByRole('tab', { name: 'History' }).click()
    await expectPage(page.getByText(/exploit/i).first()).toBeVisible()

    await page.getByRole('tab', { name: 'Exploits (4)' }).click()
    await page.getByRole('button', { name: 'Delete https://acme.example/exploit' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await expectPage(page.getByText('Exploit successfuly deleted.')).toBeVisible()
    await expectPage(page.getByRole('tab', { name: 'Exploits (3)' })).toBeVisible()

    await page.getByRole('tab', { name: 'Threat activities (0)' }).click()
    await page.getByRole('button', { name: 'Add threat activity' }).click()
    await page.getByLabel('Link').fill('https://acme.example/news')
    await page.getByLabel('Relayed in the news').check()
    await page.getByRole('button', { name: 'Save' }).click()
    await expectPage(page.getByRole('tab', { name: 'Threat activities (1)' })).toBeVisible()
    await page.close()
  },
)

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
