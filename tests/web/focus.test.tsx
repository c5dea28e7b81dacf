import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { keepPlaces } from '../../web/lib/held-focus'
import { showSuccess } from '../../web/lib/notice'
import { ProfileTab } from '../../web/settings/account/profile-tab'
import { aProfile, globalAdmin, signInAs } from './support/account'
import { refusal, settingsServer } from './support/account-server'
import { openAtVuln } from './support/at-vuln'
import { press } from './support/forms'
import { show } from './support/screen'

beforeAll(keepPlaces)
beforeEach(() => signInAs(globalAdmin))

test('a dialog that a menu opened gives the focus back to the button of the menu', async () => {
  openAtVuln('/vulns/12', {})
  const more = await screen.findByRole('button', { name: 'More for PH-12' })
  fireEvent.click(more)
  const item = await screen.findByRole('menuitem', { name: 'Send by mail' })
  item.focus()
  fireEvent.click(item)
  fireEvent.click(await screen.findByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(document.activeElement).toBe(more))
})

test('a notice that is closed gives the focus back to where somebody works', async () => {
  openAtVuln('/vulns/12', {})
  const more = await screen.findByRole('button', { name: 'More for PH-12' })
  more.focus()
  showSuccess('It is done.')
  const notice = (await screen.findByText('It is done.')).closest<HTMLElement>('[role=alert]') ?? document.body
  const cross = within(notice).getByRole('button', { name: 'Close' })
  cross.focus()
  fireEvent.click(cross)
  expect(document.activeElement).toBe(more)
  await waitFor(() => expect(screen.queryByText('It is done.')).toBeNull())
  expect(document.activeElement).toBe(more)
})

test('Escape in the editor of a comment leaves the focus at the comment', async () => {
  openAtVuln('/vulns/12?tab=comments', {})
  fireEvent.click(await screen.findByRole('button', { name: 'Edit' }))
  const field = await screen.findByLabelText('Edit your comment')
  fireEvent.keyDown(field, { key: 'Escape' })
  await waitFor(() => expect(document.activeElement?.tagName).toBe('LI'))
})

test('Escape in a dialog of the second factor gives the focus back to its button', async () => {
  settingsServer({
    'GET /users/profile': () => ({ body: aProfile() }),
    'POST /users/profile/totp/create': () => refusal('No'),
  })
  show(<ProfileTab />)
  const enable = await screen.findByRole('button', { name: 'Enable MFA' })
  enable.focus()
  press('Enable MFA')
  const dialog = await screen.findByRole('dialog')
  within(dialog).getAllByRole('button')[0]?.focus()
  fireEvent.keyDown(dialog, { key: 'Escape' })
  await waitFor(() => expect(document.activeElement).toBe(enable))
})
