import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { globalAdmin, signInAs } from './support/account'
import { openAtVuln } from './support/at-vuln'
import { fill, press } from './support/forms'
import { aPage, aVulnRow } from './support/rows'

const valueIn = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value

test('the form shows the score of a vector, its words beside it, and who will see what is added', async () => {
  signInAs(globalAdmin)
  const sent: unknown[] = []
  openAtVuln('/vulns', {
    'GET /api/vulns/': () => ({ body: aPage([aVulnRow()]) }),
    'GET /api/views/': () => ({ body: [] }),
    'POST /api/vulns/add': ({ body }) => {
      sent.push(body)
      return { body: { status: 'success', id: 12 } }
    },
  })
  fireEvent.click(await screen.findByRole('button', { name: 'Add' }))
  fireEvent.change(await screen.findByLabelText(/^Summary/), { target: { value: 'A flaw' } })
  expect(valueIn('Who sees it')).toBe('private')
  expect(valueIn('Published')).toMatch(/^\d{4}-\d\d-\d\d$/)

  fill('CVSS 3 vector', 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H')
  expect([valueIn('CVSS 3 score'), screen.getByText('Critical, by the vector')]).toEqual(['9.8', expect.anything()])
  fill('CVSS 2 vector', 'AV:N/AC:L/Au:S/C:P/I:P/A:P')
  expect([valueIn('Access vector'), valueIn('Authentication'), valueIn('Integrity')]).toEqual([
    'NETWORK',
    'SINGLE',
    'PARTIAL',
  ])
  fill('Access complexity', 'HIGH')
  expect(valueIn('CVSS 2 vector')).toBe('AV:N/AC:H/Au:S/C:P/I:P/A:P')
  fill('CVSS 2 vector', '')
  expect([valueIn('Integrity'), valueIn('CVSS 2 score')]).toEqual(['NONE', ''])

  fill('Who sees it', 'public')
  expect(screen.getByText('Visible to every organization, with what it affects.')).toBeTruthy()
  press('Save')
  await waitFor(() => expect(sent).toMatchObject([{ scope: 'public', cvss2_vector: '', impact_integrity: 'NONE' }]))
})
