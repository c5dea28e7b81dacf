import type { Page } from '@playwright/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openQuery } from '../../worker/domain/decisions/status.ts'
import { findViolations } from '../support/axe.ts'
import { expectPage, hasBrowser } from '../support/browser.ts'
import { aColleague, openSignedIn, startDesk, type Desk } from './support/desk.ts'

let desk: Desk

beforeAll(async () => {
  if (!hasBrowser) return
  desk = await startDesk()
  const { results } = await desk.client.get<{ results: { id: number }[] }>('/api/vulns/?limit=50')
  await desk.client.post('/api/vulns/toggle/bulk', { ids: results.map(({ id }) => id), monitored: true })
})
afterAll(() => desk?.close())

const focused = (page: Page) => page.locator('tr:focus')
const nameIn = (page: Page) => focused(page).getByRole('link').first().innerText()
const pane = (page: Page) => page.getByRole('complementary', { name: 'Preview' })
const command = async (page: Page, text: string) => {
  await page.keyboard.press('Control+k')
  // At once, as people type.
  await page.keyboard.type(text)
  const box = page.getByRole('combobox', { name: 'Go, find or do anything' })
  await expectPage(box).toHaveValue(text)
  await expectPage(box).toBeFocused()
}

test.skipIf(!hasBrowser)(
  'an inbox is worked through by keys alone, and each step can be taken back',
  async () => {
    await aColleague(desk, 'carla')
    const { page, close } = await openSignedIn(desk)
    const { keyboard } = page
    await page.goto(`${desk.url}/products`)
    await expectPage(page.getByRole('row').nth(1)).toBeVisible()
    await command(page, 'inbox')
    await expectPage(page.getByRole('option', { name: /Inbox/ })).toHaveAttribute('aria-selected', 'true')
    expect(await findViolations(page)).toEqual([])
    await keyboard.press('Enter')
    await expectPage(page).toHaveURL(/inbox=on/)
    const list = page.getByRole('table', { name: 'Vulnerabilities' }).locator('tr[data-id]')
    await expectPage(list.first()).toBeVisible()
    const count = await list.count()
    await expectPage(list.getByLabel('Unread')).toHaveCount(count)

    await keyboard.press('j')
    await expectPage(list.nth(0)).toBeFocused()
    await expectPage(pane(page).getByRole('region', { name: 'Decision' })).toBeVisible()
    await expectPage(list.nth(0).getByLabel('Unread')).toHaveCount(0)
    await expectPage(page).toHaveURL(/inbox=\d+/)
    expect(await findViolations(page)).toEqual([])
    await keyboard.press('j')
    const [done, next] = [await nameIn(page), await list.nth(2).getByRole('link').first().innerText()]

    await keyboard.press('e')
    await expectPage(list).toHaveCount(count - 1)
    expect(await nameIn(page)).toBe(next)
    await keyboard.press('u')
    await expectPage(page.getByText('Undone.')).toBeVisible()
    await expectPage(list).toHaveCount(count)
    await expectPage(focused(page)).toContainText(done)

    await keyboard.press('a')
    await expectPage(page.getByRole('combobox', { name: 'Assign' })).toBeFocused()
    await keyboard.type('carl')
    await expectPage(page.getByRole('option', { name: 'carla' })).toHaveAttribute('aria-selected', 'true')
    expect(await findViolations(page)).toEqual([])
    await keyboard.press('Enter')
    await expectPage(list.filter({ hasText: done })).toContainText('carla')

    await close()
  },
  240_000,
)

test.skipIf(!hasBrowser)(
  'on a narrow screen the pane is a sheet that Back closes',
  async () => {
    const { page, errors, close } = await openSignedIn(desk)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${desk.url}/vulns?monitored=true&inbox=on`)
    await page.getByRole('row').filter({ hasText: 'CVE-2026-10001' }).locator('p').first().click()
    const sheet = page.getByRole('dialog', { name: 'Preview' })
    await expectPage(sheet.getByRole('region', { name: 'Decision' })).toBeVisible()
    expect(await findViolations(page)).toEqual([])
    await page.goBack()
    await expectPage(sheet).toHaveCount(0)
    await expectPage(page).toHaveURL(/inbox=on/)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    expect(errors).toEqual([])
    await close()
  },
  180_000,
)

test.skipIf(!hasBrowser)(
  'sixty decisions in ten seconds are a few calls, none is lost, and one undo takes the last burst back',
  async () => {
    for (let made = 0; made < 60; made++)
      await desk.client.post('/api/vulns/add', { summary: `Burst ${made}`, monitored: true })
    const { page, errors, close } = await openSignedIn(desk)
    const open = encodeURIComponent(`${openQuery} "Burst"`)
    await page.goto(`${desk.url}/vulns?monitored=true&q=${open}&inbox=on`)
    const list = page.getByRole('table', { name: 'Vulnerabilities' }).locator('tr[data-id]')
    await expectPage(list).toHaveCount(50)
    await page.keyboard.press('j')
    await expectPage(pane(page).getByRole('region', { name: 'Decision' })).toBeVisible()
    await page.waitForLoadState('networkidle')

    const calls: string[] = []
    page.on(
      'request',
      (request) => request.url().includes('/api/') && calls.push(`${request.method()} ${request.url()}`),
    )
    // The list is read later than its last row is decided on.
    const isEmptied = Promise.withResolvers<void>()
    await page.route(/\/api\/vulns\/\?/, (route) => isEmptied.promise.then(() => route.continue()))
    const start = performance.now()
    for (let pressed = 0; pressed < 60; pressed++) {
      if (pressed === 50) {
        await expectPage(list).toHaveCount(0)
        isEmptied.resolve()
      }
      await page.locator('tr[aria-current=true]').waitFor()
      await page.keyboard.press('e')
      await page.waitForTimeout(100)
    }
    // A write begins 1.5 s after the last one at the earliest. How often the pane reads depends on the speed of the keys.
    const writes = calls.filter((call) => call.startsWith('POST')).length
    expect(writes, calls.join('\n')).toBeLessThanOrEqual(2 + (performance.now() - start) / 1_500)
    await expectPage(page.getByText('Fixed: 60 vulnerabilities')).toBeVisible()
    const count = async () => (await desk.client.get<{ count: number }>('/api/vulns/?q=status:fixed+"Burst"')).count
    expect(await count()).toBe(60)

    await page.getByRole('alert').getByRole('button', { name: 'Undo' }).click()
    await expectPage(page.getByText('Undone.')).toBeVisible()
    expect(await count()).toBe(0)
    await expectPage(list).toHaveCount(50)
    expect(errors).toEqual([])
    await close()
  },
  240_000,
)
