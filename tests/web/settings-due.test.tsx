import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { SettingsPage } from '../../web/settings/settings-page'
import { orgAdmin, signInAs } from './support/account'
import { settingsServer } from './support/account-server'
import { show } from './support/screen'

const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })

test('an organization chooses by what due dates are made, and writes its own days', async () => {
  const side = { exposed: 7, not_exposed: 14 }
  const table = { critical: side, high: side, medium: side, low: side, unscored: side }
  const saved = { due_policy: 'cisa_kev', table, remaking: { done: 5_000, total: 100_000 } }
  signInAs(orgAdmin)
  const server = settingsServer({
    'GET /api/decisions/due-policy': () => ({ body: saved }),
    'PUT /api/decisions/due-policy': () => ({ body: saved }),
  })
  show(<SettingsPage />, '/settings?tab=orgs')
  const chosen = await screen.findByRole('radio', { name: /The day that CISA wrote into KEV/ })
  expect((chosen as HTMLInputElement).checked).toBe(true)
  expect((screen.getByRole('button', { name: 'Save due dates' }) as HTMLButtonElement).disabled).toBe(true)
  expect(screen.getByText(/^5,000 of 100,000 vulnerabilities have their new days/)).toBeTruthy()
  fireEvent.click(screen.getByRole('radio', { name: /Your own table/ }))
  type('Days for Critical, publicly exposed', '2')
  type('Days for Low, not publicly exposed', '')
  fireEvent.click(screen.getByRole('button', { name: 'Save due dates' }))
  const sent = () => server.to('/api/decisions/due-policy').filter(({ method }) => method === 'PUT')
  await waitFor(() => expect(sent()).toHaveLength(1))
  expect(sent()[0]?.body).toEqual({
    due_policy: 'own',
    table: { ...table, critical: { exposed: 2, not_exposed: 14 }, low: { exposed: 7, not_exposed: null } },
  })
})
