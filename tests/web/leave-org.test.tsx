import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { SettingsPage } from '../../web/settings/settings-page'
import { signInAs } from './support/account'
import { settingsServer } from './support/account-server'
import { show } from './support/screen'

beforeEach(() => signInAs({ is_org_admin: true }))

const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }))
const anOrgInfo = (more: object = {}) => ({
  org_id: 1,
  org_name: 'Acme',
  slug: 'acme',
  is_read_only: false,
  trial_ends_at: null,
  removal_at: null,
  ...more,
})

test('an organization is removed by its typed name, perhaps with the account, and not before it is typed', async () => {
  const server = settingsServer({
    'GET /users/org/info': () => ({ body: anOrgInfo() }),
    'POST /api/orgs/removal': () => ({ body: { status: 'success', removal_at: '2099-11-01T00:00:00Z' } }),
  })
  show(<SettingsPage />, '/settings')
  await screen.findByRole('region', { name: 'The organization Acme' })
  press('Remove the organization')
  const dialog = within(await screen.findByRole('dialog'))
  const submit = dialog.getByRole('button', { name: 'Remove in 14 days' })
  fireEvent.change(dialog.getByLabelText('Name of the organization'), { target: { value: 'Acm' } })
  expect(submit).toHaveProperty('disabled', true)
  fireEvent.change(dialog.getByLabelText('Name of the organization'), { target: { value: 'Acme' } })
  fireEvent.click(dialog.getByLabelText('Delete my account with it'))
  fireEvent.click(submit)
  await screen.findByRole('region', { name: 'The organization Acme' })
  expect(server.to('/api/orgs/removal')[0]?.body).toEqual({ name: 'Acme', with_account: true })
})

test('one that is to be removed can be restored, and the one of who runs Earshot stays', async () => {
  let info = anOrgInfo({ removal_at: '2099-11-01T00:00:00Z', is_read_only: true })
  const server = settingsServer({
    'GET /users/org/info': () => ({ body: info }),
    'DELETE /api/orgs/removal': () => ({ body: { status: 'success' } }),
  })
  show(<SettingsPage />, '/settings')
  const card = within(await screen.findByRole('region', { name: 'The organization Acme' }))
  expect(card.getByText(/is removed with all that belongs to it on/)).toBeTruthy()
  info = anOrgInfo({ slug: 'private' })
  press('Restore it')
  expect(await screen.findByText('The organization is kept')).toBeTruthy()
  expect(server.to('/api/orgs/removal')).toHaveLength(1)
  await waitFor(() => expect(screen.queryByRole('region', { name: 'The organization Acme' })).toBeNull())
})
