import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { aPage, aVulnRow } from './support/rows'
import { VulnListPage } from '../../web/vulns/list/vuln-list-page'
import { fakeServer } from './support/server'
import { show } from './support/screen'
import { list, queryBar, showList } from './support/vuln-list'

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
const choose = (name: string) => fireEvent.click(screen.getByRole('checkbox', { name }))
const isChosen = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name }).checked

const pill = (name: string) => screen.queryByRole('button', { name: `${name}: remove this filter` })

test('all, the last day and the last week exclude each other and start at page 1', async () => {
  const { asksFor } = showList('/vulns?page=4')
  await asksFor({ page: '4', limit: '10', updated_at__gte: null })
  expect(isChosen('All')).toBe(true)

  choose('Last 24h')
  await asksFor({ page: '1', updated_at__gte: daysAgo(0) })
  expect(isChosen('All')).toBe(false)

  choose('Last Week')
  await asksFor({ updated_at__gte: daysAgo(7) })
  expect(isChosen('Last 24h')).toBe(false)
})

test('the active one, chosen again, returns to all', async () => {
  const { asksFor } = showList(`/vulns?updated_at__gte=${daysAgo(7)}`)
  expect(isChosen('Last Week')).toBe(true)
  choose('Last Week')
  await asksFor({ updated_at__gte: null })
  expect(isChosen('All')).toBe(true)
})

test('monitored is independent of them', async () => {
  const { asksFor } = showList('/vulns')
  choose('Monitored')
  await asksFor({ monitored: 'true', updated_at__gte: null })
  choose('Last 24h')
  await asksFor({ monitored: 'true', updated_at__gte: daysAgo(0) })
  choose('Monitored')
  await asksFor({ monitored: null, updated_at__gte: daysAgo(0) })
})

test('a date that no chip stands for is shown and can be removed', async () => {
  const { currentAddress } = showList('/vulns?updated_at__gte=2026-01-02')
  fireEvent.click(screen.getByRole('button', { name: /Updated on or after 2026-01-02/ }))
  await waitFor(() => expect(currentAddress()).toBe('/vulns'))
})

test('an unscored vulnerability shows n/a and no word that sounds safe', async () => {
  showList('/vulns')
  const row = within((await screen.findByText('CVE-2026-10012')).closest('tr') ?? document.body)
  expect(row.getAllByText('n/a')).toHaveLength(2)
  expect(row.queryByText(/low|none|safe|0\.0|0%/i)).toBeNull()
})

test('an awaited and a rejected vulnerability say so', async () => {
  showList(
    '/vulns',
    aPage([aVulnRow({ id: 1, state: 'awaiting', summary: 'x' }), aVulnRow({ id: 2, state: 'rejected' })]),
  )
  expect(await screen.findByText('No record yet')).toBeTruthy()
  expect(screen.getByText('Rejected')).toBeTruthy()
})

test('a count that stopped says that there are more, and then how many', async () => {
  showList('/vulns', aPage([aVulnRow()], { count: 100, count_is_exact: false }))
  expect(await screen.findByText('1–1 of 100+')).toBeTruthy()
  expect(await screen.findByText('1–1 of 1,234')).toBeTruthy()
})

test('a header sorts by what matters most first, then the other way round', async () => {
  const { asksFor } = showList('/vulns')
  const header = await screen.findByRole('columnheader', { name: 'Score' })
  fireEvent.click(within(header).getByRole('button', { name: 'Score' }))
  await asksFor({ sorted_by: '-score' })
  await waitFor(() => expect(header.getAttribute('aria-sort')).toBe('descending'))
  fireEvent.click(within(header).getByRole('button', { name: 'Score' }))
  await asksFor({ sorted_by: 'score' })
})

test('the query and its pills are two faces of the same filters', async () => {
  const { currentAddress, asksFor } = showList('/vulns?q=cvss3>%3D9 AND (vendor:apache OR kev) AND updated<%3D7d')
  await asksFor({ q: 'cvss3>=9 AND (vendor:apache OR kev) AND updated<=7d' })
  expect(queryBar().value).toBe('cvss3>=9 AND (vendor:apache OR kev) AND updated<=7d')
  expect(pill('Updated within 7d')).toBeTruthy()
  expect(pill('vendor:apache OR kev')).toBeTruthy()

  fireEvent.click(pill('CVSSv3 ≥ 9') ?? document.body)
  await asksFor({ q: '(vendor:apache OR kev) AND updated<=7d' })
  expect(queryBar().value).toBe('(vendor:apache OR kev) AND updated<=7d')

  fireEvent.change(queryBar(), { target: { value: 'NOT status:fixed' } })
  fireEvent.keyDown(queryBar(), { key: 'Enter' })
  await asksFor({ q: 'NOT status:fixed' })
  expect(pill('Status ≠ fixed')).toBeTruthy()
  fireEvent.click(pill('Status ≠ fixed') ?? document.body)
  await waitFor(() => expect(currentAddress()).toBe('/vulns'))
  expect(queryBar().value).toBe('')
})

test('a query that cannot be read is marked with its place and is not sent', async () => {
  const { asksFor, server } = showList('/vulns?q=kev')
  await asksFor({ q: 'kev' })
  fireEvent.change(queryBar(), { target: { value: 'kev AND cvss3>=high' } })
  fireEvent.keyDown(queryBar(), { key: 'Enter' })
  expect((await screen.findByRole('alert')).textContent).toContain('Expected a number after cvss3>= at 16')
  expect(queryBar().getAttribute('aria-invalid')).toBe('true')
  expect(server.to(list).every(({ query }) => query.get('q') === 'kev')).toBe(true)
})

test('the search button of the query is disabled as long as there is nothing to search for', async () => {
  showList('/vulns')
  await screen.findByText('CVE-2026-10012')
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Search' })
  expect(button.disabled).toBe(true)
  fireEvent.change(queryBar(), { target: { value: 'kev' } })
  expect(button.disabled).toBe(false)
})

test('a filter is added once its attribute, criteria and value are chosen', async () => {
  const { asksFor } = showList('/vulns?q=kev')
  fireEvent.click(screen.getByRole('button', { name: 'Add filter' }))
  const form = within(await screen.findByRole('form', { name: 'Add a filter' }))
  const add = form.getByRole<HTMLButtonElement>('button', { name: 'Add' })
  const set = (label: string, value: string) => fireEvent.change(form.getByLabelText(label), { target: { value } })
  expect(add.disabled).toBe(true)
  set('Attribute', 'cvss3')
  set('Value', '9')
  expect(add.disabled).toBe(true)
  set('Criteria', 'gte')
  expect(add.disabled).toBe(false)
  expect(form.getByLabelText('Value').getAttribute('type')).toBe('number')
  fireEvent.click(add)
  await asksFor({ q: 'kev AND cvss3>=9' })
})

test('a yes or no needs no value', async () => {
  const { asksFor } = showList('/vulns')
  fireEvent.click(screen.getByRole('button', { name: 'Add filter' }))
  const form = within(await screen.findByRole('form', { name: 'Add a filter' }))
  fireEvent.change(form.getByLabelText('Attribute'), { target: { value: 'wild' } })
  fireEvent.change(form.getByLabelText('Criteria'), { target: { value: 'false' } })
  fireEvent.click(form.getByRole('button', { name: 'Add' }))
  await asksFor({ q: 'wild:false' })
})

test('a filter of the API in the address is a pill too', async () => {
  const { currentAddress } = showList('/vulns?is_exploitable=true&cvss3__gte=7&published__date__lt=2026-01-01')
  expect(pill('CVSSv3 ≥ 7')).toBeTruthy()
  expect(pill('Published before 2026-01-01')).toBeTruthy()
  fireEvent.click(pill('Exploitable') ?? document.body)
  await waitFor(() => expect(currentAddress()).toBe('/vulns?cvss3__gte=7&published__date__lt=2026-01-01'))
  fireEvent.click(screen.getByRole('button', { name: 'Clear all filters' }))
  await waitFor(() => expect(currentAddress()).toBe('/vulns'))
})

test('rows are walked, selected, monitored and opened by the keyboard', async () => {
  const { server, currentAddress } = showList(
    '/vulns',
    aPage([aVulnRow(), aVulnRow({ id: 13, cveid: 'CVE-2026-10013' })]),
  )
  await screen.findByText('CVE-2026-10012')
  const findRow = (cveid: string) => screen.getByText(cveid).closest('tr')
  const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key })
  press('j')
  expect(document.activeElement).toBe(findRow('CVE-2026-10012'))
  press('j')
  expect(document.activeElement).toBe(findRow('CVE-2026-10013'))
  press('k')
  press('x')
  expect(isChosen('Select CVE-2026-10012')).toBe(true)
  press('m')
  await waitFor(() =>
    expect(server.to('/api/vulns/toggle/bulk')[0]?.body).toMatchObject({ ids: [12], monitored: true }),
  )
  press('?')
  expect(await screen.findByText('monitor the row, or stop')).toBeTruthy()
  fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape' })
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  press('/')
  expect(document.activeElement).toBe(screen.getByLabelText('Search vulnerabilities'))
  press('j')
  expect(document.activeElement).toBe(screen.getByLabelText('Search vulnerabilities'))
  screen.getByLabelText('Search vulnerabilities').blur()
  press('j')
  press('j')
  press('Enter')
  await waitFor(() => expect(currentAddress()).toBe('/vulns/13'))
})

test('a row that a product keeps monitored says so when it is switched off', async () => {
  showList('/vulns', aPage([aVulnRow({ monitored: true })]))
  fireEvent.click(await screen.findByRole('button', { name: 'Yes: monitor CVE-2026-10012' }))
  expect(await screen.findByText('PH-12 stays monitored through a product, a package or a vendor')).toBeTruthy()
})

test('selected rows are monitored and given a status at once; rows that are not monitored have none', async () => {
  const { server } = showList('/vulns', aPage([aVulnRow(), aVulnRow({ id: 13, cveid: 'CVE-2026-10013' })]))
  await screen.findByText('CVE-2026-10012')
  expect(screen.queryByRole('checkbox', { name: 'Select CVE-2026-10012' })).toBeNull()
  fireEvent.click(screen.getByRole('button', { name: 'Select' }))
  choose('Select the page')
  fireEvent.click(screen.getByRole('button', { name: 'Monitor' }))
  await waitFor(() =>
    expect(server.to('/api/vulns/toggle/bulk')[0]?.body).toMatchObject({ ids: [12, 13], monitored: true }),
  )
  expect(await screen.findByText('Vulnerability monitoring successfuly updated.')).toBeTruthy()
  fireEvent.change(screen.getByLabelText('Status of the selected rows'), { target: { value: 'fixed' } })
  const decisions = [{ scope: 'vulnerability', ids: [12, 13], decision: { status: 'fixed' } }]
  await waitFor(() => expect(server.to('/api/decisions')[0]?.body).toEqual({ decisions }))
  expect(await screen.findByText('1 not monitored: they have no status')).toBeTruthy()
})

test('views lead to their lists, say whose they are, and are saved with the filters of the list', async () => {
  const { currentAddress, server } = showList('/vulns?q=kev&page=3')
  fireEvent.click(await screen.findByRole('button', { name: 'Urgent' }))
  const shared = await screen.findByRole('menuitem', { name: /From Grace/ })
  expect(shared.textContent).toContain('grace')
  fireEvent.click(screen.getByRole('menuitem', { name: 'Save this view…' }))
  const dialog = within(await screen.findByRole('dialog'))
  fireEvent.change(dialog.getByLabelText('Name'), { target: { value: 'Mine' } })
  fireEvent.click(dialog.getByLabelText('Share it with the organization'))
  fireEvent.click(dialog.getByRole('button', { name: 'Save' }))
  await waitFor(() =>
    expect(server.to('/api/views/').find(({ method }) => method === 'POST')?.body).toEqual({
      name: 'Mine',
      query: 'q=kev',
      is_shared: true,
    }),
  )
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  fireEvent.click(screen.getByRole('button', { name: 'Urgent' }))
  fireEvent.click(await screen.findByRole('menuitem', { name: /From Grace/ }))
  await waitFor(() => expect(currentAddress()).toBe('/vulns?monitored=true'))
})

test('a list that cannot be had says so, and why', async () => {
  fakeServer({
    [`GET ${list}`]: () => ({ status: 400, body: { code: 'invalid', message: 'q: there is no field x at 1' } }),
  })
  show(<VulnListPage />, '/vulns?q=x:1')
  expect(await screen.findByText('unable to get vulns')).toBeTruthy()
  expect(screen.getByText('The query has a mistake')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Retry' })).toBe(null)
})

test('a page past the end leads to the first, and the number of rows is remembered', async () => {
  fakeServer({
    'GET /api/vulns/': ({ query }) => ({
      body: aPage(query.get('page') === '1' ? [aVulnRow({ id: 12 })] : [], { count: 1 }),
    }),
    'GET /api/views/': () => ({ body: [] }),
  })
  const { address } = show(<VulnListPage />, '/vulns?page=9')
  await screen.findByText('This page is past the end of the list')
  fireEvent.click(screen.getByRole('button', { name: 'First page' }))
  await waitFor(() => expect(address()).toBe('/vulns'))
  fireEvent.change(await screen.findByLabelText('Rows per page'), { target: { value: '50' } })
  await waitFor(() => expect(screen.getByLabelText<HTMLSelectElement>('Rows per page').value).toBe('50'))
  cleanup()
  show(<VulnListPage />, '/vulns')
  expect((await screen.findByLabelText<HTMLSelectElement>('Rows per page')).value).toBe('50')
  localStorage.clear()
})
