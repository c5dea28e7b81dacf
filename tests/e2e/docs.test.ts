import type { Page } from '@playwright/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectPage, hasBrowser } from '../support/browser.ts'
import { aClientSession, clientStyles, walkAsClient } from '../support/client-walk.ts'
import { knownCve } from '../support/desk-feeds.ts'
import { admin } from '../support/product.ts'
import { openPage, startDesk, type Desk } from './support/desk.ts'

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

const chooseScheme = (page: Page, scheme: string) =>
  page.locator('.auth-container').filter({ hasText: `${scheme} (apiKey)` })

async function authorize(page: Page, scheme: string, value: string) {
  await page.getByRole('button', { name: 'Authorize', exact: true }).first().click()
  await chooseScheme(page, scheme).getByRole('textbox').fill(value)
  await chooseScheme(page, scheme).getByRole('button', { name: /apply/i }).click()
  await page.locator('.close-modal').click()
}

async function forget(page: Page, scheme: string) {
  await page.getByRole('button', { name: 'Authorize', exact: true }).first().click()
  await chooseScheme(page, scheme).getByRole('button', { name: 'Remove authorization' }).click()
  await page.locator('.close-modal').click()
}

test.skipIf(!hasBrowser)('a refusal reaches whoever sends much, in one piece or in several', async () => {
  const send = async (body: BodyInit, authorization = '') => {
    const init = { method: 'POST', headers: { authorization }, body, duplex: 'half' } as RequestInit
    return (await fetch(`${desk.url}/api/vulns/add`, init)).status
  }
  const text = 'x'.repeat(200_000)
  const pieces = () => new Blob([text, text]).stream()
  for (let time = 0; time < 12; time++)
    expect([await send(text), await send(pieces()), await send(text.repeat(10))]).toEqual([401, 401, 401])
  expect(await send(text.repeat(10), desk.client.authorization)).toBe(413)
})

// The document is large, so that drawing it takes seconds: each is opened once.
test.skipIf(!hasBrowser)(
  'Swagger UI lists vulnerabilities by a JWT and by an API token, and not without',
  async () => {
    const { token } = await desk.client.get<{ token: string }>('/users/token/renew')
    const access = desk.client.authorization.replace('JWT ', '')
    const { page, errors, strangers, close } = await openDocument('/api/docs/swagger/')
    const operation = page.locator('#operations-vulns-get_api_vulns')
    const answer = operation.locator('.live-responses-table')
    const execute = () => operation.getByRole('button', { name: 'Execute' }).click()
    await page.locator('#operations-tag-vulns').click({ timeout: 120_000 })
    await operation.locator('.opblock-summary-control').click()
    await operation.getByRole('button', { name: 'Try it out' }).click()
    await execute()
    await expectPage(answer.getByText('401', { exact: true })).toBeVisible()
    for (const [scheme, value] of [
      ['jwt', access],
      ['token', `Token ${token}`],
    ] as const) {
      await authorize(page, scheme, value)
      await operation.getByRole('button', { name: 'Clear' }).click()
      await execute()
      await expectPage(answer.getByText('200', { exact: true })).toBeVisible()
      await expectPage(answer.locator('.microlight').first()).toContainText(knownCve)
      await forget(page, scheme)
    }
    expect([...errors, ...strangers].filter((text) => !text.includes('401'))).toEqual([])
    await close()
  },
  240_000,
)

test.skipIf(!hasBrowser)(
  'ReDoc shows the document and searches it, by what we serve alone',
  async () => {
    const { page, errors, strangers, close } = await openDocument('/api/docs/redoc/')
    // An expectation that looks again and again at so many elements takes longer than drawing them.
    await page.locator('h1', { hasText: 'Earshot' }).waitFor({ timeout: 120_000 })
    const search = page.getByPlaceholder(/search/i)
    // Each place of a word is marked in the whole document, so that a common one takes a busy machine a minute.
    await expectPage(async () => {
      await search.fill('')
      await search.fill('newsletter')
      await page.locator('[data-role="search:results"] label').first().waitFor({ timeout: 60_000 })
    }).toPass({ timeout: 170_000 })
    expect([...errors, ...strangers]).toEqual([])
    await close()
  },
  240_000,
)

test.skipIf(!hasBrowser).each(clientStyles)(
  '%s walks through the built product, from sign-in to saved settings',
  async (_, encode, change) => {
    const { current_org } = await desk.client.get<{ current_org: { org_id: number } }>('/users/api/current')
    await walkAsClient({
      session: aClientSession((path, init) => fetch(desk.url + path, init), encode),
      change,
      ...admin,
      org_id: current_org.org_id,
      vuln_id: desk.ids.vuln,
      search: { words: knownCve, count: 1 },
    })
  },
)
