import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { SettingsPage } from '../../web/settings/settings-page'
import { orgAdmin, signInAs } from './support/account'
import { refusal, settingsServer } from './support/account-server'
import { show } from './support/screen'

const head = '{"format":"earshot-organization","version":1}'
const lines = Array.from({ length: 700 }, (_, at) => `{"kind":"group","label":"g${at}"}`)
const whole = [head, ...lines, '{"kind":"end","records":700}'].join('\n')

async function choose(text: string) {
  const input = await screen.findByLabelText('File')
  fireEvent.change(input, { target: { files: [new File([text], 'acme.ndjson')] } })
  fireEvent.click(await screen.findByRole('button', { name: 'Import' }))
}

test('an admin brings in a file piece by piece, and reads what was left out by its line in the file', async () => {
  signInAs(orgAdmin)
  const sent: string[] = []
  settingsServer({
    'POST /api/transfer/import': ({ body }) => {
      sent.push(String(body))
      const [kind, added, already] = ['group', sent.length, 0]
      const left = sent.length === 3 ? [{ line: 2, kind, name: 'g600', reason: 'Not known here' }] : []
      return {
        body: {
          status: 'success',
          next: sent.length === 1 ? 202 : null,
          results: [{ kind, added, already, left_out: left.length }],
          left_out: left,
          left_out_count: left.length,
        },
      }
    },
  })
  show(<SettingsPage />, '/settings?tab=orgs')
  await choose(whole)
  expect(await screen.findByText('Close')).toBeTruthy()
  expect(sent.map((piece) => [piece.split('\n')[0], piece.split('\n')[1]])).toEqual([
    [head, lines[0]],
    [head, lines[200]],
    [head, '{"kind":"end","records":700}'],
  ])
  const left = within(screen.getByRole('list', { name: 'Left out' }))
  expect(left.getByText('Line 702, Exposure of groups, g600: Not known here')).toBeTruthy()
})

test('a file that broke off is not sent, and a refusal is told', async () => {
  signInAs(orgAdmin)
  const server = settingsServer({
    'POST /api/transfer/import': () => refusal('The file was written by a newer Earshot', 400, 'newer_format'),
  })
  show(<SettingsPage />, '/settings?tab=orgs')
  await choose([head, ...lines].join('\n'))
  expect(await screen.findByText(/The file is not complete/)).toBeTruthy()
  expect(server.to('/api/transfer/import')).toEqual([])
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(screen.queryByText(/The file is not complete/)).toBeNull())
  for (const text of [whole, 'another text']) {
    await choose(text)
    expect(await screen.findByText(/written by a newer Earshot/)).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  }
  expect(server.to('/api/transfer/import').map(({ body }) => body)).toEqual([expect.anything(), 'another text'])
})

test('a file with nothing in it says so', async () => {
  signInAs(orgAdmin)
  const answer = { status: 'success', next: null, results: [], left_out: [], left_out_count: 0 }
  settingsServer({ 'POST /api/transfer/import': () => ({ body: answer }) })
  show(<SettingsPage />, '/settings?tab=orgs')
  await choose(`${head}\n{"kind":"end","records":0}`)
  expect(await screen.findByText('The file holds nothing to import.')).toBeTruthy()
})
