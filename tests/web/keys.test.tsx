import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { resetSession } from '../../web/session/session'
import { keyDialog } from '../../web/ui/keys'
import { signInAs } from './support/account'
import { atHome } from './support/answers'
import { aPage, aProduct, aVulnRow } from './support/rows'
import { fakeServer } from './support/server'
import { visit } from './support/visit'

const two = [aProduct(), aProduct({ id: 8, name: 'unit' })]

const aVerdict = {
  type: 'product',
  id: 9,
  group: 'openssl',
  name: 'openssl',
  version: '3.0.6',
  vulns_count: 3,
  release: null,
  counts: { affected: 2, exploited: 0, unknown: 0 },
  free: null,
}

function open(address = '/products') {
  const server = fakeServer({
    ...atHome,
    'GET /api/kb/products/': () => ({ body: aPage(two) }),
    'GET /api/kb/vendors/': () => ({
      body: aPage([
        { id: 3, name: 'f5', monitored: true, products_count: 2, vulns_count: 42, updated_at: '2026-11-18T06:30:00Z' },
      ]),
    }),
    'GET /api/vulns/': () => ({ body: aPage([aVulnRow()]) }),
    'GET /api/search-version': () => ({ body: [aVerdict] }),
    'POST /api/monitor/product/toggle': () => ({ body: 'toggled.' }),
    'POST /api/monitor/items': () => ({ body: { status: 'success', count: 1, pending: 0 } }),
  })
  return { server, ...visit(address) }
}
const press = (key: string, given: object = {}) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { key, ...given })
const line = (id: number) => document.querySelector<HTMLElement>(`tr[data-id="${id}"]`)
const ready = () => waitFor(() => expect(line(8)).toBeTruthy())

beforeEach(() => {
  signInAs()
  sessionStorage.clear()
})
afterEach(() => {
  resetSession()
  localStorage.removeItem('EarshotKeys')
  keyDialog.value = null
})

test('keys typed before the palette is drawn stand in its box and act on no row', async () => {
  const { address } = open()
  await ready()
  press('j')
  // Within one turn nothing is drawn, also where a test before this one has loaded the palette.
  act(() => {
    press('k', { ctrlKey: true })
    for (const key of ['m', 'x', 'Backspace', 'j', 'Enter']) press(key)
  })
  const field = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Go, find or do anything' })
  expect(field.value).toBe('mj')
  expect(document.activeElement).toBe(field)
  expect(address()).toBe('/products')
  expect(line(7)?.querySelector<HTMLInputElement>('input[type="checkbox"]')?.checked ?? false).toBe(false)
})

test('the keys walk the rows of any list and open one, and Back brings the focus to it again', async () => {
  const { address, goBack } = open()
  await ready()
  for (const [key, id] of [
    ['j', 7],
    ['j', 8],
    ['ArrowUp', 7],
    ['ArrowDown', 8],
  ] as const) {
    press(key)
    expect(document.activeElement).toBe(line(id))
  }
  press('Enter')
  await waitFor(() => expect(address()).toBe('/product/8'))
  await goBack()
  await waitFor(() => expect(document.activeElement).toBe(line(8)))
  press('/')
  expect(document.activeElement).toBe(screen.getByRole('searchbox', { name: /products/i }))
  press('j')
  expect(document.activeElement).toBe(screen.getByRole('searchbox', { name: /products/i }))
})

test('a row that a pointer opens has the focus after Back, too', async () => {
  const { address, goBack } = open()
  await ready()
  fireEvent.click(line(8) ?? document.body)
  await waitFor(() => expect(address()).toBe('/product/8'))
  await goBack()
  await waitFor(() => expect(document.activeElement).toBe(line(8)))
})

test('the keys of one letter can be switched off; arrows and the palette stay', async () => {
  open()
  await ready()
  press('?')
  const dialog = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' })
  expect(within(dialog).getByText('next row')).toBeTruthy()
  fireEvent.click(within(dialog).getByRole('switch', { name: /Keys of one letter/ }))
  press('Escape')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  for (const key of ['j', '/', '?']) press(key)
  expect(document.activeElement?.tagName).not.toBe('TR')
  expect(screen.queryByRole('dialog')).toBeNull()
  press('k', { ctrlKey: true })
  expect(await screen.findByRole('dialog', { name: 'Go, find or do anything' })).toBeTruthy()
})

test('the palette goes to screens, finds what has a name and monitors it', async () => {
  const { address, server } = open('/homepage')
  await screen.findByRole('heading', { level: 1, name: 'Home' })
  const type = async (text: string) => {
    press('k', { ctrlKey: true })
    const field = await screen.findByRole('combobox', { name: 'Go, find or do anything' })
    fireEvent.change(field, { target: { value: text } })
    return field
  }
  const field = await type('bulle')
  const [option] = screen.getAllByRole('option')
  expect(option?.getAttribute('aria-selected')).toBe('true')
  expect(field.getAttribute('aria-activedescendant')).toBe(option?.id)
  fireEvent.keyDown(field, { key: 'ArrowDown', code: 'ArrowDown' })
  expect(option?.getAttribute('aria-selected')).toBe('false')
  expect(field.getAttribute('aria-activedescendant')).toBe(
    screen.getByRole('option', { selected: true }).getAttribute('id'),
  )
  fireEvent.keyDown(field, { key: 'ArrowUp', code: 'ArrowUp' })
  fireEvent.keyDown(field, { key: 'Enter', code: 'Enter' })
  await waitFor(() => expect(address()).toBe('/kb/bulletins'))

  await type('nginx')
  fireEvent.click(await screen.findByRole('option', { name: /^f5 · nginx/i }))
  await waitFor(() => expect(address()).toBe('/product/7'))

  await type('openssl 3.0.6')
  fireEvent.click(await screen.findByRole('option', { name: /^OpenSSL · OpenSSL 3\.0\.6: what affects it.*2 of 3$/ }))
  await waitFor(() => expect(address()).toBe('/product/9?product_version=3.0.6'))

  await type('monitor nginx')
  expect(await screen.findByRole('option', { name: /Monitor CVE-2026-10012/ })).toBeTruthy()
  expect(screen.queryByRole('option', { name: /Monitor f5$/ })).toBeNull()
  fireEvent.click(await screen.findByRole('option', { name: /Monitor f5 · nginx/i }))
  await waitFor(() =>
    expect(server.to('/api/monitor/product/toggle')[0]?.body).toMatchObject({ product_id: 7, monitored: true }),
  )
})

test('the field at the top suggests, goes on by arrows, and keeps Enter for the search', async () => {
  const { server, address } = open()
  await ready()
  const field = screen.getByRole('combobox', { name: 'Search everything' })
  fireEvent.change(field, { target: { value: 'unit' } })
  const list = within(await screen.findByRole('listbox', { name: 'Suggestions' }))
  expect((await list.findAllByRole('option', { name: /unit/i })).length).toBeGreaterThan(0)
  expect(field.getAttribute('aria-expanded')).toBe('true')
  expect(field.getAttribute('aria-activedescendant')).toBeNull()
  fireEvent.keyDown(field, { key: 'ArrowDown' })
  await waitFor(() => expect(field.getAttribute('aria-activedescendant')).toBe(list.getAllByRole('option')[0]?.id))
  fireEvent.keyDown(field, { key: 'Escape' })
  expect(screen.queryByRole('listbox', { name: 'Suggestions' })).toBeNull()

  fireEvent.change(field, { target: { value: 'monitor unit 1.2' } })
  const offer = await screen.findByRole('option', { name: /^Monitor .*unit 1\.2/i })
  fireEvent.click(offer)
  await waitFor(() =>
    expect(server.to('/api/monitor/items')[0]?.body).toMatchObject({
      kind: 'product',
      monitored: true,
      items: [{ id: 8, versions: ['1.2'] }],
    }),
  )
  fireEvent.change(field, { target: { value: 'due overdue' } })
  fireEvent.click(await screen.findByRole('option', { name: 'Overdue' }))
  await waitFor(() => expect(address()).toContain('due%3Ctoday'))
  fireEvent.change(field, { target: { value: 'nginx' } })
  fireEvent.submit(field)
  await waitFor(() => expect(address()).toBe('/search/nginx'))
})
