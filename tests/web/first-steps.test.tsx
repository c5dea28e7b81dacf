import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { startSession, setTokens } from '../../web/session/session'
import { aUser, atHome, refusedWith, tokens } from './support/answers'
import { fill, press } from './support/forms'
import { aPage, aProduct } from './support/rows'
import { fakeServer } from './support/server'
import { visit } from './support/visit'

const search = '/api/kb/products/'
const toggle = '/api/monitor/product/toggle'
const settings = '/users/org/1/settings'
const update = '/users/org/update'

const named = ['nginx', 'unit', 'agent', 'njs'].map((name, index) => aProduct({ id: index + 1, name }))
const orgSettings = {
  org_id: 1,
  alerts_emails: [],
  alerts_emails_max: 3,
  alerts_emails_unconfirmed: [],
  enable_email_alert_new_vuln: true,
  enable_email_alert_update_vuln: true,
}
const answers = {
  ...atHome,
  [`GET ${search}`]: () => ({ body: aPage(named) }),
  [`POST ${toggle}`]: () => ({ body: 'toggled.' }),
  [`GET ${settings}`]: () => ({ body: orgSettings }),
  [`POST ${update}`]: () => ({ body: orgSettings }),
}

beforeEach(() => {
  setTokens(tokens)
  startSession(aUser(), { id: 1, name: 'Acme' })
})

async function begin(more: Parameters<typeof fakeServer>[0] = {}) {
  const server = fakeServer({ ...answers, ...more })
  const place = visit('/homepage?firststeps=1')
  await step('Welcome to Earshot')
  return { server, place }
}

const step = (name: string) => screen.findByRole('heading', { name })
const next = () => press('Next')

async function toMonitoring() {
  next()
  await step('What do you run?')
}
async function toAlerting() {
  await toMonitoring()
  next()
  await step('Who should be alerted?')
}
async function choose(...names: string[]) {
  fill('Search products', 'f5 n')
  for (const name of names)
    fireEvent.click(await screen.findByRole('checkbox', { name: new RegExp(`F5 · ${name}`, 'i') }))
}

test('from the welcome to the end, products and addresses are saved on the way', async () => {
  const { server, place } = await begin()
  await toMonitoring()
  await choose('nginx', 'njs')
  next()
  await step('Who should be alerted?')
  expect(await screen.findByText('Monitoring status successfuly updated.')).toBeTruthy()
  expect(server.to(toggle).map(({ body }) => body)).toEqual([
    { product_id: 1, monitored: true, organization_id: 1 },
    { product_id: 4, monitored: true, organization_id: 1 },
  ])

  const first = await screen.findByLabelText<HTMLInputElement>('Contact e-mail 1')
  expect(first.value).toBe('analyst@acme.example')
  press('Add an address')
  fill('Contact e-mail 2', 'soc@acme.example')
  next()
  await step('You are set')
  expect(server.to(update).map(({ body }) => body)).toEqual([
    { org_id: 1, alerts_emails: ['analyst@acme.example', 'soc@acme.example'] },
  ])
  expect(screen.getByText('You now monitor F5 · Nginx, F5 · NJS.')).toBeTruthy()

  const closings = within(screen.getByRole('dialog')).getAllByRole('button', { name: 'Close' })
  for (const close of closings.slice(-1)) fireEvent.click(close)
  await waitFor(() => expect(place.address()).toBe('/homepage'))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('the search waits for three characters and a pause, and asks for thirty', async () => {
  const { server } = await begin()
  await toMonitoring()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  fill('Search products', 'ng')
  await act(() => vi.advanceTimersByTimeAsync(600))
  expect(server.to(search)).toEqual([])

  fill('Search products', 'ngi')
  expect(server.to(search)).toEqual([])
  await screen.findByRole('checkbox', { name: 'F5 · Nginx' })
  expect(server.to(search)).toHaveLength(1)
  const query = server.to(search)[0]?.query
  expect([query?.get('search'), query?.get('limit')]).toEqual(['ngi', '30'])
})

test('three products are enough: a fourth waits until one is removed', async () => {
  await begin()
  await toMonitoring()
  await choose('nginx', 'unit', 'agent')
  const fourth = screen.getByRole<HTMLInputElement>('checkbox', { name: 'F5 · NJS' })
  expect(screen.getByText('3 of 3 chosen')).toBeTruthy()
  expect(fourth.disabled).toBe(true)
  press('Remove F5 · Unit')
  expect(fourth.disabled).toBe(false)
})

test('products that cannot be saved are told, and the step stays', async () => {
  await begin({ [`POST ${toggle}`]: () => refusedWith(500, 'internal', 'No') })
  await toMonitoring()
  await choose('nginx')
  next()
  expect(await screen.findByText('Unable to change the monitoring status')).toBeTruthy()
  expect(screen.getByRole('heading', { name: 'What do you run?' })).toBeTruthy()
})

test('coming back and choosing otherwise undoes what was saved', async () => {
  const { server } = await begin()
  await toMonitoring()
  await choose('nginx')
  next()
  await step('Who should be alerted?')
  press('Back')
  await step('What do you run?')
  press('Remove F5 · Nginx')
  next()
  await step('Who should be alerted?')
  expect(server.to(toggle).at(-1)?.body).toMatchObject({ product_id: 1, monitored: false })
})

test('at most as many addresses as the organization may have', async () => {
  await begin()
  await toAlerting()
  await screen.findByLabelText('Contact e-mail 1')
  press('Add an address')
  press('Add an address')
  expect(screen.queryByRole('button', { name: 'Add an address' })).toBeNull()
})

test('a wrong address is told and not sent', async () => {
  const { server } = await begin()
  await toAlerting()
  await screen.findByLabelText('Contact e-mail 1')
  fill('Contact e-mail 1', 'nobody')
  next()
  expect(await screen.findByText('E-mail must be valid')).toBeTruthy()
  expect(server.to(update)).toEqual([])
})

test('addresses that cannot be saved are told, and the step stays', async () => {
  await begin({ [`POST ${update}`]: () => refusedWith(500, 'internal', 'No') })
  await toAlerting()
  await screen.findByLabelText('Contact e-mail 1')
  next()
  expect(await screen.findByText('Unable to update organization settings :/')).toBeTruthy()
  expect(screen.getByRole('heading', { name: 'Who should be alerted?' })).toBeTruthy()
})

test('a member who may not change the addresses reads them and goes on', async () => {
  const profile = { manage_organization: false, manage_alert_email: false, manage_metadata: false }
  startSession(aUser({ is_org_admin: false, profile }), { id: 1, name: 'Acme' })
  const { server } = await begin({
    [`GET ${settings}`]: () => ({ body: { ...orgSettings, alerts_emails: ['soc@acme.example'] } }),
  })
  await toAlerting()
  expect(await screen.findByText(/Alerts go to soc@acme.example/)).toBeTruthy()
  next()
  await step('You are set')
  expect(server.to(update)).toEqual([])
})

test('each step takes the focus and is announced; Back goes back', async () => {
  await begin()
  await toMonitoring()
  const dialog = within(screen.getByRole('dialog'))
  expect(document.activeElement?.textContent).toBe('What do you run?')
  expect(dialog.getByText('Step 2 of 4: Monitoring')).toBeTruthy()
  expect(document.querySelector('[aria-current="step"]')?.textContent).toContain('Monitoring')
  press('Back')
  await step('Welcome to Earshot')
  expect(document.activeElement?.textContent).toBe('Welcome to Earshot')
})

test('running versions may be told at once, by a bill of materials or a list', async () => {
  await begin()
  await toMonitoring()
  press('Drop an SBOM or a lock file')
  expect(await screen.findByLabelText('Document')).toBeTruthy()
  press('Import a CSV or XLSX list')
  expect(await screen.findByRole('dialog', { name: 'Import what you monitor' })).toBeTruthy()
})
