import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectPage, hasBrowser, launchBrowser } from '../support/browser.ts'
import { writeCurl, writeWorkflow } from '../../web/help/inventory-calls.ts'
import { signInByApi, startProduct, untilFeeds, type Product } from '../support/product.ts'
import { aCve, affecting, aMatch } from '../support/records.ts'
import { openSignedIn } from './support/desk.ts'

const folder = mkdtempSync(join(tmpdir(), 'earshot-boms-'))
// The records of a new installation: log4j's is among them.
const feeds = join(folder, 'feeds')
cpSync(fileURLToPath(new URL('../../scripts/starter/', import.meta.url)), feeds, { recursive: true })
const log4j = (version: string) => `pkg:maven/org.apache.logging.log4j/log4j-core@${version}`
const widget = (version: string) => `cpe:2.3:a:acme:widget:${version}:*:*:*:*:*:*:*`

function aBom(name: string, names: string[]) {
  const components = names.map((one, at) => ({
    type: 'library',
    'bom-ref': `c${at}`,
    name: `part${at}`,
    ...(one.startsWith('cpe:') ? { cpe: one } : { purl: one }),
  }))
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
  // The throttle has tests of its own; here we send faster than builds do.
  product = await startProduct({ feeds, env: { RATE_SCALE: '1000' } })
  await untilFeeds(product.url, (all) => ['nvd', 'osv', 'kev'].every((id) => all.get(id)?.last_success), 120)
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await product?.kill()
})

const openPage = async () => (await openSignedIn({ browser, url: product.url })).page

const look = async (page: Page, name: string) => {
  const shots = process.env.EARSHOT_SHOTS
  if (!shots) return
  for (const [width, colorScheme] of [
    [1280, 'light'],
    [1280, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    await page.screenshot({ path: join(shots, `${name}-${width}-${colorScheme}.png`), fullPage: true })
  }
  await page.setViewportSize({ width: 1280, height: 900 })
}

async function exportVex(page: Page, item: string) {
  await page.getByRole('button', { name: 'Export' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: item, exact: true }).click()
  return JSON.parse(readFileSync(await (await download).path(), 'utf8')) as unknown
}

test.skipIf(!hasBrowser)(
  'a bill of materials is dropped: log4j-core 2.14.1 is affected and 2.17.1 is not; a fix is chosen, and VEX tells it',
  async () => {
    const page = await openPage()
    await page.getByRole('link', { name: 'Inventories', exact: true }).click()
    await expectPage(page.getByText('No inventory yet')).toBeVisible()
    const { path } = aBom('shop.cdx.json', [log4j('2.14.1'), log4j('2.17.1'), 'pkg:npm/nobody-knows@1.0.0'])
    await page.locator('input[type=file]').setInputFiles(path)
    await expectPage(page.getByLabel('Name of the inventory')).toHaveValue('shop')
    await page.getByRole('button', { name: 'Send' }).click()
    await expectPage(page.getByText('shop is added')).toBeVisible()
    await page.getByRole('link', { name: 'Open it' }).click()

    const upgrades = page.getByRole('table', { name: 'Upgrades' })
    await expectPage(upgrades.getByRole('row').nth(1)).toContainText('part0 to')
    await page.getByRole('tab', { name: 'Findings' }).click()
    const findings = page.getByRole('table', { name: 'Findings' })
    const finding = findings.getByRole('row').filter({ hasText: 'CVE-2021-44228' })
    await expectPage(finding).toContainText('part0 2.14.1')
    await expectPage(finding).toContainText('Needed by shop 1.0')
    await expectPage(findings.getByText('part1')).toHaveCount(0)

    await finding.getByRole('button', { name: 'Decide on CVE-2021-44228 in part0' }).click()
    await page.getByLabel('Upgrade to').fill('2.17.1')
    await page.getByLabel('Owner').fill('Platform')
    await page.getByRole('button', { name: 'Decide', exact: true }).click()
    await expectPage(page.getByText('Decision saved')).toBeVisible()
    await expectPage(finding).toContainText('Affected, upgrade to 2.17.1')
    await look(page, 'findings')

    const openvex = await exportVex(page, 'OpenVEX')
    expect(openvex).toMatchObject({
      statements: expect.arrayContaining([
        expect.objectContaining({ status: 'affected', action_statement: 'Upgrade part0 to 2.17.1' }),
      ]),
    })
    expect(await exportVex(page, 'CSAF 2.0')).toMatchObject({ document: { category: 'csaf_vex' } })
    expect(await exportVex(page, 'CycloneDX')).toMatchObject({ bomFormat: 'CycloneDX' })
    await page.getByRole('tab', { name: 'Vulnerabilities' }).click()
    const vulns = page.getByRole('table', { name: 'Vulnerabilities' })
    await expectPage(vulns.getByRole('row').filter({ hasText: 'CVE-2021-44228' })).toContainText('part0 2.14.1')
    await page.getByRole('tab', { name: 'Components' }).click()
    const components = page.getByRole('table', { name: 'Components' })
    await expectPage(components.getByText('Not matched: nothing is known about it')).toBeVisible()
    await look(page, 'components')
    await page.getByRole('tab', { name: 'Fix first' }).click()
    await expectPage(upgrades.getByText('You chose 2.17.1')).toBeVisible()
    await look(page, 'upgrades')
    await page.goto(`${product.url}/vulns?search=CVE-2021-44228`)
    await expectPage(page.getByText('Affects you').first()).toBeVisible()
    await look(page, 'list')
    await page.goto(`${product.url}/monitoring/inventories`)
    await expectPage(page.getByRole('link', { name: 'shop' })).toBeVisible()
    await look(page, 'inventories')

    await page.getByRole('link', { name: 'shop' }).click()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await expectPage(page.getByText('shop is removed')).toBeVisible()
    await page.getByRole('button', { name: 'Restore shop' }).click()
    await look(page, 'removed')
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
    await expectPage(page.getByText('shop is restored')).toBeVisible()
    await expectPage(page.getByRole('link', { name: 'shop' })).toBeVisible()
    await page.close()
  },
)

test.skipIf(!hasBrowser)(
  'a build sends its bill of materials twice by curl, once by its workflow, and hears the difference',
  async () => {
    const client = await signInByApi(product.url)
    const { token } = await client.post<{ token: string }>('/users/tokens', { name: 'build', scope: 'write' })
    type Answer = { findings: Record<'new' | 'gone', { count: number }>; is_new: boolean }
    const run = (command: string) =>
      JSON.parse(
        execFileSync('sh', ['-c', command], { cwd: folder, env: { ...process.env, EARSHOT_TOKEN: token } }).toString(),
      ) as Answer
    // The calls of Help, as they stand there.
    const send = (purls: string[]) => {
      aBom('bom.json', purls)
      return run(writeCurl(product.url))
    }
    const first = send([log4j('2.14.1')])
    expect(first.is_new).toBe(true)
    expect(first.findings.new.count).toBeGreaterThan(0)
    const second = send([log4j('2.17.1')])
    expect(second.findings.new.count).toBe(0)
    expect(second.findings.gone.count).toBe(first.findings.new.count)

    const [, step = ''] = /- run: >-\n((?: {10}.*\n)+)/.exec(writeWorkflow(product.url)) ?? []
    aBom('bom.json', [log4j('2.14.1')])
    execFileSync('gzip', ['-kf', 'bom.json'], { cwd: folder })
    const command = step.replaceAll(/\s*\n\s*/g, ' ').replace('${{ github.event.repository.name }}', 'my-service')
    expect(run(command)).toMatchObject({ is_new: false, findings: { new: { count: first.findings.new.count } } })

    // The same on the screen: changes of each delivery, and open findings after it.
    const page = await openPage()
    await page.goto(`${product.url}/monitoring/inventories/my-service?tab=findings`)
    const finding = page.getByRole('row').filter({ hasText: 'CVE-2021-44228' })
    await expectPage(finding).toContainText('2.14.1')
    send([log4j('2.17.1')])
    await page.reload()
    await expectPage(page.getByText('No open finding')).toBeVisible()
    await page.getByRole('tab', { name: 'Send again' }).click()
    const { path } = aBom('my-service.json', [log4j('2.14.1')])
    await page.getByLabel('Document', { exact: true }).setInputFiles(path)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await expectPage(page.getByText('New findings')).toBeVisible()
    await expectPage(page.getByText('CVE-2021-44228').first()).toBeVisible()
    await page.close()
  },
)

test.skipIf(!hasBrowser)(
  'a delta of a feed makes one inventory affected, leaves the one that runs a fixed version, and only the first is alerted',
  async () => {
    const { authorization, ...client } = await signInByApi(product.url)
    for (const [name, version] of [
      ['old-shop', '1.4'],
      ['new-shop', '3.0'],
    ] as const)
      await fetch(`${product.url}/api/inventories/${name}`, {
        method: 'PUT',
        headers: { authorization },
        body: aBom(`${name}.json`, [widget(version)]).text,
      })
    const arrived = 'CVE-2026-77001'
    const now = new Date().toISOString().slice(0, 19)
    const cve = aCve(arrived, {
      published: now,
      lastModified: now,
      configurations: affecting(aMatch('acme', 'widget', { versionEndExcluding: '2.0' })),
    })
    mkdirSync(join(feeds, 'nvd/delta'), { recursive: true })
    writeFileSync(
      join(feeds, 'nvd/delta/1.json'),
      JSON.stringify({ resultsPerPage: 1, startIndex: 0, totalResults: 1, vulnerabilities: [{ cve }] }),
    )
    await client.post('/api/data/sync/run?feed=nvd')
    type Alerts = { results: { vuln: { cveid: string | null } }[] }
    const alerted = async () => {
      await product.tick()
      return (await client.get<Alerts>('/api/alerts/')).results.map(({ vuln }) => vuln.cveid)
    }
    await expect.poll(alerted, { timeout: 60_000, interval: 1_000 }).toContain(arrived)
    const page = await openPage()
    await page.goto(`${product.url}/monitoring/inventories/old-shop?tab=findings`)
    const finding = page.getByRole('row').filter({ hasText: arrived })
    await expectPage(finding).toContainText('First not listed: 2.0')
    await page.goto(`${product.url}/monitoring/inventories/new-shop?tab=findings`)
    await expectPage(page.getByText('No open finding')).toBeVisible()
    await page.goto(`${product.url}/vulns?search=${arrived}`)
    await page.getByRole('link', { name: arrived }).click()
    await expectPage(page.getByLabel('Versions that you run')).toContainText('old-shop')
    await expectPage(page.getByLabel('Versions that you run')).not.toContainText('new-shop')
    await look(page, 'detail')
    await page.close()
  },
)
