import { fireEvent, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { SettingsPage } from '../../web/settings/settings-page'
import { globalAdmin, orgAdmin, signInAs } from './support/account'
import { refusal, settingsServer } from './support/account-server'
import { show } from './support/screen'

const grace = {
  id: 2,
  username: 'grace',
  email: 'grace@example.org',
  first_name: 'Grace',
  last_name: 'Hopper',
  last_login: null,
  is_active: true,
  is_admin: false,
  is_org_admin: false,
  mfa_enabled: false,
  profile: { manage_organization: false, manage_alert_email: false, manage_metadata: false },
}

const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))

async function openUser(user: Parameters<typeof signInAs>[0], answers: Parameters<typeof settingsServer>[0]) {
  signInAs(user)
  const server = settingsServer(answers)
  show(<SettingsPage />, '/settings?tab=orgs')
  await reopen()
  return server
}

async function reopen() {
  fireEvent.click(await screen.findByRole('button', { name: 'Actions on grace' }))
  fireEvent.click(await screen.findByRole('menuitem', { name: 'View or edit' }))
}

test('a global admin disables an account, or deletes it after a question; a sole admin is told what must happen first', async () => {
  let isNeeded = true
  const { to } = await openUser(globalAdmin, {
    'GET /api/users/2': () => ({ body: grace }),
    'POST /api/users/2/disable': () => ({ body: { status: 'success' } }),
    'DELETE /api/users/2': () =>
      isNeeded ? refusal('Make somebody else an admin first: Acme', 409) : { body: { status: 'success' } },
  })
  fireEvent.click(await screen.findByRole('button', { name: 'Disable the account' }))
  expect(to('/api/users/2/disable')).toEqual([])
  press('Disable')
  expect(await screen.findByText('Account disabled')).toBeTruthy()

  await reopen()
  fireEvent.click(await screen.findByRole('button', { name: 'Delete the account' }))
  press('Cancel')
  press('Delete the account')
  press('Delete forever')
  expect(await screen.findByText(/^Unable to delete the account: Make somebody else an admin first/)).toBeTruthy()
  isNeeded = false
  press('Delete forever')
  expect(await screen.findByText('Account deleted')).toBeTruthy()
  expect(to('/api/users/2').filter(({ method }) => method === 'DELETE')).toHaveLength(2)
})

test('who is no global admin, and they themselves, see nothing of accounts as a whole', async () => {
  await openUser(orgAdmin, { 'GET /api/users/2': () => ({ body: grace }) })
  await screen.findByRole('button', { name: 'Save' })
  expect(screen.queryByRole('button', { name: 'Delete the account' })).toBeNull()
})
