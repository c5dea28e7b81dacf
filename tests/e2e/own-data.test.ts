import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectPage, hasBrowser } from '../support/browser.ts'
import { knownCve } from '../support/desk-feeds.ts'
import { findBroken } from './support/broken.ts'
import { aColleague, openSignedIn, row, startDesk, type Desk } from './support/desk.ts'

let desk: Desk

beforeAll(async () => {
  if (hasBrowser) desk = await startDesk()
})
afterAll(() => desk?.close())

const list = ['type,value,groups', 'product,acme:widgit,dmz', 'gadget,nonsense,', 'vendor,not_known_yet,later'].join(
  '\r\n',
)

test.skipIf(!hasBrowser)('a list with mistakes is tried, mended and imported, and taken back', async () => {
  const { page, close } = await openSignedIn(desk)
  await page.goto(`${desk.url}/monitoring`)
  await expectPage(page.getByRole('heading', { name: 'Monitoring', level: 1 })).toBeVisible()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog
    .locator('input[type=file]')
    .setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(list) })
  const numbers = dialog.getByRole('status', { name: 'What the import does' })
  await expectPage(numbers).toContainText('3 lines to check')
  await dialog.getByRole('button', { name: 'acme:widget', exact: true }).click()
  await expectPage(numbers).toContainText('1 item added')
  await dialog.getByRole('listitem').filter({ hasText: 'nonsense' }).getByRole('button', { name: 'Leave out' }).click()
  await expectPage(numbers).toContainText('1 line to check')
  await expectPage(dialog).toContainText('it is monitored as soon as the knowledge base names it')
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  await expectPage(page.getByText('Monitored assets successfuly uploaded')).toBeVisible()

  await page.getByRole('tab', { name: 'Waiting' }).click()
  await expectPage(page.getByRole('row', { name: /not_known_yet/ })).toBeVisible()
  await page.getByRole('tab', { name: 'Products' }).click()
  const item = page.getByRole('row', { name: /widget/i })
  await expectPage(item).toContainText('dmz')

  await page.goto(`${desk.url}/vulns?limit=50`)
  const bar = page.getByLabel('Search vulnerabilities')
  const ask = async (query: string) => {
    await bar.fill(query)
    await page.keyboard.press('Enter')
  }
  await ask('group:dmz')
  await expectPage(page).toHaveURL(/group(?::|%3A)dmz/)
  await expectPage(row(page, knownCve)).toBeVisible()
  await ask('group:office')
  await expectPage(row(page, knownCve)).toHaveCount(0)
  await ask('NOT group:office')
  await expectPage(row(page, knownCve)).toBeVisible()
  await page.goto(`${desk.url}/monitoring?tab=products`)
  const edit = item.getByRole('button', { name: /Groups and versions of/ })
  await edit.click()
  await expectPage(page.getByRole('combobox', { name: 'Groups', exact: true })).toBeFocused()
  // A press on its words is none on the row that it belongs to.
  await page.getByRole('dialog').getByRole('heading').click()
  await page.keyboard.press('Escape')
  await expectPage(page.getByRole('dialog')).toHaveCount(0)
  await expectPage(edit).toBeFocused()
  await page.keyboard.press('Enter')
  await page.getByLabel('Versions that you run').first().pressSequentially('9.9.9')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Save' }).click()
  await expectPage(item).toContainText('9.9.9')

  await item.getByRole('button', { name: /Stop monitoring/ }).click()
  // A notice stays while the pointer is on it.
  const undo = page.getByRole('button', { name: 'Undo' })
  await undo.hover()
  await expectPage(page.getByText('No monitored products')).toBeVisible()
  await undo.click()
  await expectPage(page.getByRole('tabpanel', { name: 'Products' }).locator(':focus')).toHaveCount(1)
  await page.mouse.move(0, 0)
  await expectPage(item).toContainText('9.9.9')
  await expectPage(item).toContainText('dmz')

  await page.getByRole('button', { name: 'Export' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Everything as CSV' }).click()
  await expectPage(page.getByText('Preparing export...')).toBeVisible()
  expectPage((await download).suggestedFilename()).toBe('ph_export_monitored_all.csv')
  await expectPage(page.getByText('Monitored assets successfuly exported')).toBeVisible()
  await close()
})

test.skipIf(!hasBrowser)('after a new token was copied, and after an undo, the focus is where it was', async () => {
  const { page, close } = await openSignedIn(desk)
  await page.goto(`${desk.url}/settings`)
  const newToken = page.getByRole('button', { name: 'New token' })
  await newToken.press('Enter')
  await page.getByLabel('Name').last().fill('build')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Copy API token' }).press('Enter')
  await page.getByRole('button', { name: 'I have copied it' }).press('Enter')
  await expectPage(newToken).toBeFocused()

  await desk.client.post('/api/vulns/toggle/bulk', { ids: [desk.ids.vuln], monitored: true })
  await page.goto(`${desk.url}/vulns/${desk.ids.vuln}`)
  const status = page.getByLabel('Status', { exact: true })
  await expectPage(status).toBeEnabled()
  await status.focus()
  await status.selectOption({ index: 1 })
  await page.getByRole('button', { name: 'Undo' }).press('Enter')
  await expectPage(status).toBeFocused()
  await close()
})

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
  await expectPage(page.getByText(`Do you really want to disable ${dora.username}?`)).toBeVisible()
  const broken = await findBroken(page, 'disable an account')
  await page.getByRole('button', { name: 'Disable', exact: true }).click()
  await expectPage(page.getByText('Account disabled')).toBeVisible()
  await open()
  await expectPage(page.getByText('The account is disabled: nobody can sign in with it.')).toBeVisible()
  await page.getByRole('button', { name: 'Delete the account' }).click()
  await expectPage(page.getByText(`Do you really want to delete ${dora.username}?`)).toBeVisible()
  broken.push(...(await findBroken(page, 'delete an account')))
  await page.getByRole('button', { name: 'Delete forever' }).click()
  await expectPage(page.getByText('Account deleted')).toBeVisible()
  await expectPage(page.getByRole('button', { name: `Actions on ${dora.username}` })).toBeHidden()
  expect([...broken, ...errors]).toEqual([])
  await close()
})
