import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { isActing } from '../../web/session/session'
import { SettingsPage } from '../../web/settings/settings-page'
import { grace, aMemberRow, anOrgRow, aSessionUser, globalAdmin, inviter, orgAdmin, signInAs } from './support/account'
import { refusal, settingsServer } from './support/account-server'
import { aPage } from './support/rows'
import { show } from './support/screen'

const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }))
const type = (label: string | RegExp, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } })

async function showOrgs(user: Parameters<typeof signInAs>[0], answers: Parameters<typeof settingsServer>[0] = {}) {
  signInAs(user)
  const server = settingsServer(answers)
  const place = show(<SettingsPage />, '/settings?tab=orgs')
  await screen.findByText('grace@example.org')
  return { ...server, ...place }
}

async function choose(row: string, item: string) {
  fireEvent.click(await screen.findByRole('button', { name: `Actions on ${row}` }))
  fireEvent.click(await screen.findByRole('menuitem', { name: item }))
}

test('pages and sorting of the two tables are kept apart in the address', async () => {
  const { to, address } = await showOrgs(globalAdmin)
  expect(to('/api/orgs/')[0]?.query.get('limit')).toBe('5')
  expect(to('/api/org-users/')[0]?.query.get('limit')).toBe('20')

  press('E-mail')
  await waitFor(() => expect(to('/api/org-users/').at(-1)?.query.get('sorted_by')).toBe('email'))
  press('Slug')
  await waitFor(() => expect(to('/api/orgs/').at(-1)?.query.get('sorted_by')).toBe('slug'))
  expect(new URLSearchParams(address().split('?')[1]).toString()).toBe(
    'tab=orgs&user_sorted_by=email&org_sorted_by=slug',
  )
})

test('an admin starts the sync of data beside the organizations', async () => {
  let isRefused = true
  const server = await showOrgs(globalAdmin, {
    'POST /api/data/sync/run': () => (isRefused ? refusal('No') : { body: { status: 'enqueued', feeds: ['nvd'] } }),
  })
  press('Sync data')
  expect(await screen.findByText('Unable to start data sync from remote.')).toBeTruthy()
  isRefused = false
  press('Sync data')
  expect(await screen.findByText('Sync successfuly enqueued.')).toBeTruthy()
  expect(server.to('/api/data/sync/run')).toHaveLength(2)
})

test('nobody but a global admin starts a sync', async () => {
  await showOrgs(orgAdmin)
  expect(screen.queryByRole('button', { name: 'Sync data' })).toBeNull()
})

test('lists that fail are told', async () => {
  signInAs(orgAdmin)
  settingsServer({ 'GET /api/org-users/': () => refusal('No'), 'GET /api/orgs/': () => refusal('No') })
  show(<SettingsPage />, '/settings?tab=orgs')
  expect((await screen.findAllByText('Unable to get org users')).length).toBeGreaterThan(0)
  expect(screen.getAllByText('Unable to get organizations').length).toBeGreaterThan(0)
})

test.each([
  [
    'Disable',
    'POST /users/1/disable',
    true,
    'Organization successfuly disabled.',
    'Unable to disable the Organization.',
  ],
  ['Enable', 'POST /users/1/enable', false, 'Organization successfuly enabled.', 'Unable to enable the Organization.'],
])('%s an organization', async (item, call, is_active, success, failure) => {
  let isRefused = true
  await showOrgs(globalAdmin, {
    'GET /api/orgs/': () => ({ body: aPage([anOrgRow({ is_active })]) }),
    [call]: () => ({ ...(isRefused ? refusal('It is kept') : { body: { status: 'success' } }) }),
  })
  await choose('Acme', item)
  const confirm = () => is_active && press('Disable')
  confirm()
  expect(await screen.findByText(failure)).toBeTruthy()
  expect(screen.getByText('It is kept')).toBeTruthy()

  isRefused = false
  if (is_active) confirm()
  else await choose('Acme', item)
  expect(await screen.findByText(success)).toBeTruthy()
})

test('a global admin acts in another organization from its row; the own one has no such action', async () => {
  const acted = { ...aSessionUser, ...globalAdmin, is_acting: true, current_org: { org_id: 2, org_name: 'Widgets' } }
  const { to } = await showOrgs(globalAdmin, {
    'GET /api/orgs/': () => ({ body: aPage([anOrgRow(), anOrgRow({ id: 2, name: 'Widgets', slug: 'widgets' })]) }),
    'POST /api/orgs/2/act': () => ({ body: acted.current_org }),
    'GET /users/api/current': () => ({ body: acted }),
  })
  press('Actions on Acme')
  await screen.findByRole('menuitem', { name: 'Disable' })
  expect(screen.queryByRole('menuitem', { name: 'Act in this organization' })).toBeNull()
  press('Actions on Acme')
  await choose('Widgets', 'Act in this organization')
  await waitFor(() => expect(isActing()).toBe(true))
  expect(to('/api/orgs/2/act')).toHaveLength(1)
})

test('an organization is removed only after the question, and when its name was typed', async () => {
  let isRefused = true
  const { to } = await showOrgs(globalAdmin, {
    'POST /users/1/remove': () => (isRefused ? refusal('It is kept') : { body: { status: 'success' } }),
  })
  await choose('Acme', 'Remove')
  expect(await screen.findByText('Do you really want to delete organization ?')).toBeTruthy()
  type('Name of the organization', 'Acm')
  press('Remove')
  expect(to('/users/1/remove')).toEqual([])
  type('Name of the organization', 'Acme')
  press('Remove')
  expect(await screen.findByText('Unable to remove the Organization.')).toBeTruthy()
  isRefused = false
  press('Remove')
  expect(await screen.findByText('Organization successfuly removed.')).toBeTruthy()
})

test('a global admin creates an organization for an owner', async () => {
  let isRefused = true
  const { to } = await showOrgs(globalAdmin, {
    'POST /users/addorg': () => (isRefused ? refusal('It is there') : { body: { status: 'success', id: 2 } }),
  })
  press('New organization')
  press('Create')
  expect(await screen.findByText('At least 2 characters')).toBeTruthy()
  expect(screen.getByText('E-mail is required')).toBeTruthy()

  type('Name', 'Widgets')
  type("Owner's e-mail", 'Owner@example.org')
  press('Create')
  expect(await screen.findByText('Unable to create the Organization.')).toBeTruthy()
  isRefused = false
  press('Create')
  expect(await screen.findByText('Organization successfuly created.')).toBeTruthy()
  expect(to('/users/addorg')[1]?.body).toMatchObject({ name: 'Widgets', is_active: true })
})

test('a trial is extended by days or converted', async () => {
  const { to } = await showOrgs(globalAdmin, {
    'GET /api/orgs/': () => ({ body: aPage([anOrgRow({ trial_ends_at: '2020-01-01T00:00:00Z' })]) }),
    'POST /users/1/trial': () => ({ body: { status: 'success', trial_ends_at: null } }),
  })
  expect(screen.getByText('Ended')).toBeTruthy()
  await choose('Acme', 'Extend the trial')
  type('Days', '400')
  press('Extend')
  expect(await screen.findByText('From 1 to 365 days')).toBeTruthy()
  type('Days', '30')
  press('Extend')
  expect(await screen.findByText('Trial extended')).toBeTruthy()
  await choose('Acme', 'Convert the trial')
  press('Convert')
  expect(await screen.findByText('Trial converted')).toBeTruthy()
  expect(to('/users/1/trial').map(({ body }) => body)).toEqual([{ days: 30 }, { convert: true }])
})

test('members see no action on organizations, and those who may only invite none on users', async () => {
  await showOrgs(inviter)
  expect(screen.queryByRole('button', { name: 'New organization' })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Actions on Acme' })).toBeNull()
  press('Actions on grace')
  await screen.findByRole('menuitem', { name: 'View' })
  expect(screen.getAllByRole('menuitem')).toHaveLength(1)
})

test('an admin cannot act on their own membership, and is told why', async () => {
  await showOrgs(globalAdmin)
  press('Actions on analyst')
  expect(await screen.findByText(/only another admin can change your role or membership/)).toBeTruthy()
  expect(screen.getAllByRole('menuitem').map(({ textContent }) => textContent)).toEqual(['View'])
})

test.each([
  [
    'Make admin',
    'POST /users/1/2/admin/enable',
    {},
    'Organization admin successfuly enabled.',
    'Unable to enable the Organization admin.',
  ],
  [
    'Remove admin role',
    'POST /users/1/2/admin/disable',
    { is_admin: true },
    'Organization admin successfuly disabled.',
    'Unable to disable the Organization admin.',
  ],
  ['Disable', 'POST /users/1/2/disable', {}, 'User disabled', 'Unable to disable the user'],
  ['Enable', 'POST /users/1/2/enable', { is_active: false }, 'User enabled', 'Unable to enable the user'],
])('%s: a member', async (item, call, member, success, failure) => {
  let isRefused = true
  await showOrgs(orgAdmin, {
    'GET /api/org-users/': () => ({ body: aPage([aMemberRow(member)]) }),
    [call]: () => ({ ...(isRefused ? refusal('The last one') : { body: { status: 'success' } }) }),
  })
  await choose('grace', item)
  const asks = item !== 'Enable'
  if (asks) press(item)
  expect(await screen.findByText(failure)).toBeTruthy()
  expect(screen.getByText('The last one')).toBeTruthy()
  isRefused = false
  if (asks) press(item)
  else await choose('grace', item)
  expect(await screen.findByText(success)).toBeTruthy()
})

test.each([
  ['an organization is disabled', globalAdmin, 'Acme', 'Disable', 'Disable Acme?', '/users/1/disable'],
  ['a member is disabled', orgAdmin, 'grace', 'Disable', 'Disable grace?', '/users/1/2/disable'],
  ['a member becomes an admin', orgAdmin, 'grace', 'Make admin', 'Make grace an admin?', '/users/1/2/admin/enable'],
])('%s only after the question', async (_, user, row, item, question, path) => {
  const { to } = await showOrgs(user)
  await choose(row, item)
  expect(await screen.findByText(question)).toBeTruthy()
  press('Cancel')
  await waitFor(() => expect(screen.queryByText(question)).toBeNull())
  expect(to(path)).toEqual([])
})

test('a member is removed only after the question, and the focus stays at the list that they left', async () => {
  const listed = [aMemberRow({}), aMemberRow({ user: 3, username: 'ada', email: 'ada@example.org' })]
  const { to } = await showOrgs(orgAdmin, {
    'GET /api/org-users/': () => ({ body: aPage(listed) }),
    'POST /users/1/delete/2': () => {
      listed.shift()
      return { body: { status: 'success' } }
    },
  })
  screen.getByRole('button', { name: 'Actions on grace' }).focus()
  await choose('grace', 'Remove')
  expect(await screen.findByText('Do you really want to delete user ?')).toBeTruthy()
  expect(to('/users/1/delete/2')).toEqual([])
  press('Remove')
  expect(await screen.findByText('User removed')).toBeTruthy()
  await waitFor(() => expect(document.activeElement?.textContent).toContain('ada'))
  expect(document.activeElement).not.toBe(document.body)
  expect(screen.queryByRole('button', { name: 'Actions on grace' })).toBeNull()
})

test('names and rights of a member are changed in one dialog', async () => {
  const { to } = await showOrgs(orgAdmin, {
    'GET /api/users/2': () => ({ body: grace }),
    'PUT /api/users/2': () => ({ body: grace }),
  })
  await choose('grace', 'View or edit')
  fireEvent.click(await screen.findByRole('switch', { name: /Manage e-mail alerts/ }))
  press('Save')
  expect(await screen.findByText('User profile updated !')).toBeTruthy()
  expect(to('/api/users/2').find(({ method }) => method === 'PUT')?.body).toEqual({
    first_name: 'Grace',
    last_name: 'Hopper',
    manage_organization: false,
    manage_alert_email: true,
    manage_metadata: false,
  })
})

test('the rights in another organization are not changed from this one', async () => {
  const { to } = await showOrgs(globalAdmin, {
    'GET /api/org-users/': () => ({ body: aPage([aMemberRow({ org_id: 9, org_name: 'Other' })]) }),
    'GET /api/users/2': () => ({ body: grace }),
    'PUT /api/users/2': () => ({ body: grace }),
  })
  await choose('grace', 'View or edit')
  expect(await screen.findByText(/switch to it first/)).toBeTruthy()
  press('Save')
  await screen.findByText('User profile updated !')
  expect(to('/api/users/2').at(-1)?.body ?? to('/api/users/2').at(-2)?.body).toEqual({
    first_name: 'Grace',
    last_name: 'Hopper',
  })
})

test('a member whose info cannot be read is told', async () => {
  await showOrgs(orgAdmin, { 'GET /api/users/2': () => refusal('No') })
  await choose('grace', 'View or edit')
  expect((await screen.findAllByText("Unable to retreive user's info")).length).toBeGreaterThan(0)
})

test('the button that opened a dialog has the focus again when the dialog was left', async () => {
  await showOrgs(globalAdmin)
  const opener = screen.getByRole('button', { name: 'Invite users' })
  opener.focus()
  press('Invite users')
  fireEvent.click(await screen.findByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(document.activeElement).toBe(opener))
})
