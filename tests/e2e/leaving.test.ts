import { readFileSync } from 'node:fs'

import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectPage, hasBrowser } from '../support/browser.ts'
import { findBroken } from './support/broken.ts'
import { aColleague, openSignedIn, startDesk } from './support/desk.ts'
import type { Desk } from './support/desk.ts'

let desk: Desk

beforeAll(async () => {
  if (hasBrowser) desk = await startDesk()
})
afterAll(() => desk?.close())

test.skipIf(!hasBrowser)('somebody takes their data along, and deletes their account', async () => {
  const carla = await aColleague(desk, 'carla_1')
  const { page, errors, close } = await openSignedIn(desk, carla)
  await page.goto(`${desk.url}/settings`)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download my data' }).click(),
  ])
  const data = JSON.parse(readFileSync(await download.path(), 'utf8')) as { user: { username: string } }
  expect([download.suggestedFilename(), data.user.username]).toEqual(['earshot_account.json', 'carla_1'])

  await page.getByRole('button', { name: 'Delete my account' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete my account' })
  await expectPage(dialog).toContainText('carla_1')
  const broken = await findBroken(page, 'delete my account')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expectPage(page.getByText('Your account is deleted')).toBeVisible()
  await expectPage(page).toHaveURL(/\/auth/)
  expect([...broken, ...errors]).toEqual([])
  await close()
  const again = await fetch(`${desk.url}/api/public/jwt-auth/obtain-token/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(carla),
  })
  expect(again.status).toBe(401)
})

test.skipIf(!hasBrowser)('a global admin withdraws an invitation, disables an account, and deletes it', async () => {
  const dora = await aColleague(desk, 'dora_1')
  const { page, errors, close } = await openSignedIn(desk)
  const { current_org } = await desk.client.get<{ current_org: { org_id: number } }>('/users/api/current')
  await desk.client.post(`/users/${current_org.org_id}/adduser`, { emails: 'nobody@example.org' })
  await page.goto(`${desk.url}/settings?tab=orgs`)
  const pending = page.getByRole('list', { name: 'Pending invitations' })
  await expectPage(pending).toContainText('nobody@example.org')
  await pending.getByRole('button', { name: 'Withdraw nobody@example.org' }).click()
  await expectPage(pending).toBeHidden()

  const open = async () => {
    await page.getByRole('button', { name: `Actions on ${dora.username}` }).click()
    await page.getByRole('menuitem', { name: 'View or edit' }).click()
  }
  await open()
  await page.getByRole('button', { name: 'Disable the account' }).click()
  await expectPage(page.getByText('Account disabled')).toBeVisible()
  await open()
  await expectPage(page.getByText('It is disabled: nobody gets in with it.')).toBeVisible()
  await page.getByRole('button', { name: 'Delete the account' }).click()
  const broken = await findBroken(page, 'delete an account')
  await page.getByRole('button', { name: 'Delete for ever' }).click()
  await expectPage(page.getByText('Account deleted')).toBeVisible()
  await expectPage(page.getByRole('button', { name: `Actions on ${dora.username}` })).toBeHidden()
  expect([...broken, ...errors]).toEqual([])
  await close()
})
