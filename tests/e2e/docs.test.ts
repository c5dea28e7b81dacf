import type { Page } from '@playwright/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectPage, hasBrowser } from '../support/browser.ts'
import { aSession, clientStyles, walkAsClient } from '../support/client-walk.ts'
import { known } from '../support/desk-feeds.ts'
import { admin } from '../support/product.ts'
import { openPage, startDesk } from './support/desk.ts'
import type { Desk } from './support/desk.ts'

let desk: Desk

beforeAll(async () => {
  if (hasBrowser) desk = await startDesk()
})
afterAll(() => desk?.close())

/** A page that also keeps which other places it called. */
async function openDocument(path: string) {
  const opened = await openPage(desk.browser)
  const strangers: string[] = []
  opened.page.on('request', (request) => {
    const url = new URL(request.url())
    if (/^https?:/.test(url.protocol) && url.origin !== desk.url) strangers.push(request.url())
  })
  await opened.page.goto(desk.url + path)
  return { ...opened, strangers }
}

async function authorize(page: Page, scheme: string, value: string) {
  await page.getByRole('button', { name: 'Authorize', exact: true }).first().click()
  const box = page.locator('.auth-container').filter({ hasText: `${scheme} (apiKey)` })
  await box.getByRole('textbox').fill(value)
  await box.getByRole('button', { name: /apply/i }).click()
  await page.locator('.close-modal').click()
}

async function listVulns(page: Page) {
  const operation = page.locator('#operations-vulns-get_api_vulns')
  await page.locator('#operations-tag-vulns').click()
  await operation.locator('.opblock-summary-control').click()
  await operation.getByRole('button', { name: 'Try it out' }).click()
  await operation.getByRole('button', { name: 'Execute' }).click()
  return operation.locator('.live-responses-table')
}

test.skipIf(!hasBrowser)('Swagger UI lists vulnerabilities with a JWT and with an API token', async () => {
  const { token } = await desk.client.get<{ token: string }>('/users/token/renew')
  const access = desk.client.authorization.replace('JWT ', '')
  for (const [scheme, value] of [
    ['jwt', access],
    ['token', `Token ${token}`],
  ] as const) {
    const { page, errors, strangers, close } = await openDocument('/api/docs/swagger/')
    await authorize(page, scheme, value)
    const answer = await listVulns(page)
    await expectPage(answer.getByText('200', { exact: true })).toBeVisible()
    await expectPage(answer.locator('.microlight').first()).toContainText(known)
    expect([scheme, ...errors, ...strangers]).toEqual([scheme])
    await close()
  }
})

test.skipIf(!hasBrowser)('without a token Swagger UI shows the 401 of a call', async () => {
  const { page, close } = await openDocument('/api/docs/swagger/')
  const answer = await listVulns(page)
  await expectPage(answer.getByText('401', { exact: true })).toBeVisible()
  await close()
})

test.skipIf(!hasBrowser)('ReDoc shows the document and searches it, by what we serve alone', async () => {
  const { page, errors, strangers, close } = await openDocument('/api/docs/redoc/')
  await expectPage(page.getByRole('heading', { level: 1, name: /Earshot/ })).toBeVisible({ timeout: 30_000 })
  await page.getByRole('textbox', { name: /search/i }).fill('vulnerabilities')
  await expectPage(page.locator('[data-role="search:results"] label').first()).toBeVisible({ timeout: 30_000 })
  expect([...errors, ...strangers]).toEqual([])
  await close()
})

test.skipIf(!hasBrowser).each(clientStyles)(
  '%s walks through the built product, from sign-in to saved settings',
  async (_, encode, change) => {
    const { current_org } = await desk.client.get<{ current_org: { org_id: number } }>('/users/api/current')
    await walkAsClient({
      session: aSession((path, init) => fetch(desk.url + path, init), encode),
      change,
      ...admin,
      org_id: current_org.org_id,
      vuln_id: desk.ids.vuln,
      search: { words: known, count: 1 },
    })
  },
)
