import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { splitAddresses } from '../../web/settings/orgs/invite-dialog'
import { SettingsPage } from '../../web/settings/settings-page'
import { aMemberRow, grace, globalAdmin, inviter, orgAdmin, signInAs } from './support/account'
import { offline, refusal, settingsServer } from './support/account-server'
import { aPage } from './support/rows'
import { show } from './support/screen'

const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))

const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })

async function showOrgs(user: Parameters<typeof signInAs>[0], answers: Parameters<typeof settingsServer>[0] = {}) {
  signInAs(user)
  const server = settingsServer(answers)
  show(<SettingsPage />, '/settings?tab=orgs')
  await screen.findByText('grace@example.org')
  return server
}

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
  press('Keep the account')
  press('Delete the account')
  press('Delete forever')
  expect(await screen.findByText(/^Unable to delete the account: Make somebody else an admin first/)).toBeTruthy()
  isNeeded = false
  press('Delete forever')
  expect(await screen.findByText('Account deleted')).toBeTruthy()
  expect(to('/api/users/2').filter(({ method }) => method === 'DELETE')).toHaveLength(2)
})

test('the dialog closes once the account is enabled again, though the list answers last', async () => {
  let isEnabled = false
  const { promise: later, resolve: answerList } = Promise.withResolvers<void>()
  await openUser(globalAdmin, {
    'GET /api/org-users/': async () => {
      if (isEnabled) await later
      return { body: aPage([aMemberRow()]) }
    },
    'GET /api/users/2': () => ({ body: { ...grace, is_active: isEnabled } }),
    'POST /api/users/2/enable': () => {
      isEnabled = true
      return { body: { status: 'success' } }
    },
  })
  fireEvent.click(await screen.findByRole('button', { name: 'Enable the account' }))
  await screen.findByText('The account is enabled.')
  answerList()
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('an admin of an organization sees nothing of accounts as a whole', async () => {
  await openUser(orgAdmin, { 'GET /api/users/2': () => ({ body: grace }) })
  await screen.findByRole('button', { name: 'Save' })
  expect(screen.queryByRole('button', { name: 'Delete the account' })).toBeNull()
})

test('invitations: addresses are counted live, fifty at most', async () => {
  await showOrgs(inviter)
  press('Invite users')
  const button = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Invite' })
  expect(button().disabled).toBe(true)
  type('E-mail addresses', 'a@example.org, b@example.org\nnobody')
  expect(screen.getByText('2 valid addresses, 50 at most')).toBeTruthy()
  const wrong = screen.getByRole('list', { name: '1 entry is not an address and is left out:' })
  expect(
    within(wrong)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(['nobody'])
  expect(button().disabled).toBe(false)

  type('E-mail addresses', Array.from({ length: 51 }, (_, at) => `u${at}@example.org`).join('\n'))
  expect(screen.getByText('51 addresses are too many: 50 at most')).toBeTruthy()
  expect(button().disabled).toBe(true)
})

test.each([
  [{ status: 201, body: { status: 'success' } }, 'Invitation(s) successfuly sent to valid email addresses.'],
  [{ status: 201, body: { status: 'error', reason: 'Too many' } }, 'An error occured during the invitation: Too many'],
  [{ status: 403, body: { code: 'no', message: 'No' } }, 'An error occured during the invitation.'],
])('invitations answered with %o', async (answer, message) => {
  const { to } = await showOrgs(inviter, { 'POST /users/1/adduser': () => answer })
  press('Invite users')
  type('E-mail addresses', 'A@example.org;b@example.org')
  press('Invite')
  expect(await screen.findByText(message)).toBeTruthy()
  expect(to('/users/1/adduser')[0]?.body).toEqual({ emails: ['a@example.org', 'b@example.org'] })
})

test('invitations without a network', async () => {
  await showOrgs(inviter, { 'POST /users/1/adduser': offline })
  press('Invite users')
  type('E-mail addresses', 'a@example.org')
  press('Invite')
  expect(await screen.findByText('Unable to add users')).toBeTruthy()
})

test('an address given twice counts once', () => {
  expect(splitAddresses('a@example.org, A@example.org\n\n b@example.org;')).toEqual({
    valid: ['a@example.org', 'b@example.org'],
    invalid: [],
  })
})
