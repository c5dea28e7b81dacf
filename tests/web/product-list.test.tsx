import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { ThreatListPage } from '../../web/exploits/metadata-list-pages'
import { ProductListPage } from '../../web/kb/products/product-list-page'
import { aPage, aProduct } from './support/rows'
import { fakeServer } from './support/server'
import { show } from './support/screen'

const list = 'GET /api/kb/products/'
const groups = { 'GET /api/monitor/groups': () => ({ body: [] }) }
const toggle = 'POST /api/monitor/product/toggle'
const isMonitored = () => screen.getByRole('button', { name: /monitor f5 nginx/ }).getAttribute('aria-pressed')

test('a toggle flips when the server has answered, not before', async () => {
  let monitored = false
  let answer = () => {}
  const gate = new Promise<void>((resolve) => {
    answer = resolve
  })
  const server = fakeServer({
    ...groups,
    [list]: () => ({ body: aPage([aProduct({ monitored })]) }),
    [toggle]: async () => {
      await gate
      monitored = true
      return { body: 'toggled.' }
    },
  })
  show(<ProductListPage />, '/products')
  fireEvent.click(await screen.findByRole('button', { name: 'No: monitor f5 nginx' }))

  await waitFor(() => expect(server.to('/api/monitor/product/toggle')).toHaveLength(1))
  expect(isMonitored()).toBe('false')

  answer()
  await waitFor(() => expect(isMonitored()).toBe('true'))
  expect(screen.getByText('Monitoring status successfuly updated.')).toBeTruthy()
  expect(server.to('/api/monitor/product/toggle')[0]?.body).toMatchObject({ product_id: 7, monitored: true })
})

test('a refused toggle stays as it was and says so', async () => {
  fakeServer({
    ...groups,
    [list]: () => ({ body: aPage([aProduct()]) }),
    [toggle]: () => ({ status: 403, body: { code: 'forbidden', message: 'No' } }),
  })
  show(<ProductListPage />, '/products')
  fireEvent.click(await screen.findByRole('button', { name: 'No: monitor f5 nginx' }))

  expect(await screen.findByText('Unable to change the monitoring status')).toBeTruthy()
  expect(isMonitored()).toBe('false')
})

test('a list that fails is emptied, told, and can be tried again', async () => {
  let isUp = false
  fakeServer({
    ...groups,
    [list]: () => (isUp ? { body: aPage([aProduct()]) } : { status: 400, body: { code: 'invalid', message: 'No' } }),
  })
  show(<ProductListPage />, '/products')

  expect(await screen.findByText('unable to get products')).toBeTruthy()
  isUp = true
  fireEvent.click(await screen.findByRole('button', { name: 'Retry' }))
  expect(await screen.findByText('Nginx')).toBeTruthy()
})

test.each([
  ['/products?page=9', ProductListPage],
  ['/threats?page=9', ThreatListPage],
])('%s, past the end of a list with rows, does not say that there are none', async (address, ListPage) => {
  fakeServer({
    ...groups,
    [list]: () => ({ body: aPage([], { count: 66 }) }),
    'GET /api/threats/': () => ({ body: aPage([], { count: 66 }) }),
  })
  show(<ListPage />, address)
  expect(await screen.findByText('This page is past the end of the list')).toBeTruthy()
  expect(screen.queryByText(/^No (product|threat)/)).toBe(null)
  expect(screen.getByText('Nothing on this page, 66 in total')).toBeTruthy()
})
