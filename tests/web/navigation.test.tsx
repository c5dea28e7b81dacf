import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { lazy } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LazyPart } from '../../web/ui/lazy-part'
import { watchForms } from '../../web/lib/typed'
import { wantedPath } from '../../web/session/guard'
import { isAuthenticated, loseSession, resetSession } from '../../web/session/session'
import { aProfile, aSessionUser, globalAdmin, signInAs } from './support/account'
import { atHome, refusedWith } from './support/answers'
import { openAtVuln } from './support/at-vuln'
import { fill, press } from './support/forms'
import { aPage, aProduct, aVulnRow } from './support/rows'
import { show } from './support/screen'
import { fakeServer } from './support/server'
import { visit } from './support/visit'

beforeEach(() => {
  signInAs()
  fakeServer(atHome)
})
afterEach(() => resetSession())

test('a screen whose code cannot be loaded says so, and offers to load it again', async () => {
  visit('/homepage', { lost: 'help' })
  fireEvent.click(await screen.findByRole('link', { name: 'Help' }))
  expect(await screen.findByText(/could not be loaded: there may be a newer version, or no connection/)).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Reload' })).toBeTruthy()
  // In words for users: none of the browser's, which name files.
  expect(screen.getByRole('main').textContent).not.toMatch(/dynamically imported|preload/)
  expect(screen.getByRole('navigation', { name: 'Main' })).toBeTruthy()
})

test('a part whose code cannot be loaded leaves the page as it is: a tab says so, and a dialog is closed with a notice', async () => {
  const Lost = lazy(() => Promise.reject(new Error('Unable to preload CSS for /assets/history-tab.css')))
  const onLost = vi.fn()
  show(
    <>
      <h1>CVE-2021-44228</h1>
      <LazyPart>
        <Lost />
      </LazyPart>
      <LazyPart onLost={onLost}>
        <Lost />
      </LazyPart>
    </>,
  )
  expect(await screen.findAllByText(/could not be loaded: there may be a newer version/)).toHaveLength(2)
  expect(screen.getByRole('heading', { name: 'CVE-2021-44228' })).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Reload' })).toBeTruthy()
  expect(onLost).toHaveBeenCalledTimes(1)
})

test('a screen whose code a deployment took away is loaded anew with the whole page, at its address', async () => {
  const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => undefined)
  // Of markup that is inserted, no script runs.
  document.body.insertAdjacentHTML('beforeend', '<script type="module" src="/assets/main-of-yesterday.js"></script>')
  const server = fakeServer({ ...atHome, 'GET /': () => ({ body: '<script src="/assets/main-of-yesterday.js">' }) })
  const { address } = visit('/homepage', { lost: 'help' })
  fireEvent.click(await screen.findByRole('link', { name: 'Help' }))
  await waitFor(() => expect(server.to('/')).toHaveLength(1))
  expect(reload).not.toHaveBeenCalled()
  cleanup()
  fakeServer({ ...atHome, 'GET /': () => ({ body: '<script src="/assets/main-of-today.js">' }) })
  const next = visit('/homepage', { lost: 'help' })
  fireEvent.click(await screen.findByRole('link', { name: 'Help' }))
  await waitFor(() => expect(reload).toHaveBeenCalledTimes(1))
  expect([address(), next.address()]).toEqual(['/help', '/help'])
  document.body.querySelector('script')?.remove()
  reload.mockRestore()
})

test.each([
  ['/vulns/abc', 'Vulnerability not found'],
  ['/vulns/0', 'Vulnerability not found'],
  ['/vulns/1e3', 'Vulnerability not found'],
  ['/vulns/99', 'Vulnerability not found'],
  ['/product/abc', 'Product not found'],
  ['/product/-1', 'Product not found'],
  ['/product/99', 'Product not found'],
  ['/monitoring/inventories/gone', 'Inventory not found'],
  ['/nowhere', 'Page not found'],
])('at %s it says: %s', async (address, heading) => {
  visit(address)
  expect(await screen.findByRole('heading', { name: heading })).toBeTruthy()
})

test.each([
  ['/vendor/3', '/api/kb/vendors/3/', 'Vendor'],
  ['/product/7', '/api/kb/detailed-products/7/', 'Product'],
  ['/packages/8', '/api/kb/packages/8/', 'Package'],
  ['/monitoring/inventories/shop', '/api/inventories/shop', 'shop'],
  ['/vulns/CVE-2026-10012', '/api/search-target', 'CVE-2026-10012'],
  ['/search/PH-12', '/api/search-target', 'Search: PH-12'],
])('a failure at %s stands on a page with its own heading and title', async (address, path, heading) => {
  fakeServer({ ...atHome, [`GET ${path}`]: () => refusedWith(403, 'no', 'No') })
  visit(address)
  expect(await screen.findByRole('button', { name: 'Retry' })).toBeTruthy()
  expect(screen.getByRole('heading', { level: 1, name: heading })).toBeTruthy()
  expect(document.title).toContain(heading)
})

test('a page and a half-filled form there stay when they cannot be read anew', async () => {
  let isUp = true
  fakeServer({
    ...atHome,
    'GET /users/profile': () => (isUp ? { body: aProfile() } : refusedWith(403, 'no', 'No')),
    'POST /users/profile/update': () => ({ body: { status: 'success' } }),
  })
  visit('/settings')
  await screen.findByLabelText('Old password')
  fill('Old password', 'typed already')
  isUp = false
  press('Save')
  expect(await screen.findByText('Unable to get user profile')).toBeTruthy()
  expect(screen.getByLabelText<HTMLInputElement>('Old password').value).toBe('typed already')
})

test('an inventory that is gone is told by its page alone', async () => {
  visit('/monitoring/inventories/gone')
  expect(await screen.findByText('It may have been renamed or removed, or the link is wrong.')).toBeTruthy()
  expect(screen.queryByText(/^Unable to get/)).toBeNull()
})

test('an address with the id that people use leads to the vulnerability', async () => {
  const server = fakeServer({
    ...atHome,
    'GET /api/search-target': () => ({ body: { type: 'vuln', id: 12, version: null } }),
  })
  const { address } = visit('/vulns/CVE-2021-44228?tab=history')
  await waitFor(() => expect(address()).toBe('/vulns/12?tab=history'))
  expect(server.to('/api/search-target').at(-1)?.query.get('term')).toBe('CVE-2021-44228')
})

test('a CVE id that no source has named says so at its address, too, and can be watched there', async () => {
  fakeServer({ ...atHome, 'GET /api/search-target': () => ({ body: null }) })
  const { address } = visit('/vulns/cve-2099-10001')
  expect(await screen.findByRole('button', { name: 'Monitor it when it appears' })).toBeTruthy()
  expect(address()).toBe('/search/CVE-2099-10001')
})

test('an admin who acts in another organization sees so on every screen, and leaves it there', async () => {
  const acting = { ...globalAdmin, is_acting: true, orgs: [{ id: 7, name: 'Admins', slug: 'admins' }] }
  signInAs(acting)
  const { to } = fakeServer({
    ...atHome,
    'GET /users/api/current': () => ({ body: { ...aSessionUser, ...acting } }),
    'POST /api/orgs/act/end': () => ({ body: { org_id: 7, org_name: 'Admins' } }),
  })
  visit('/kb/cves')
  expect((await screen.findByLabelText('Acting')).textContent).toMatch(/^Acting in Acme\./)
  fireEvent.click(screen.getByRole('button', { name: 'Leave Acme' }))
  await waitFor(() => expect(to('/api/orgs/act/end')).toHaveLength(1))
})

test('signing out is at hand, and ends the session here and at the worker', async () => {
  const { to } = fakeServer({ ...atHome, 'POST /users/logout': () => ({ body: {} }) })
  visit('/homepage')
  fireEvent.click(await screen.findByRole('button', { name: 'Sign out' }))
  await waitFor(() => expect(to('/users/logout')).toHaveLength(1))
  expect(isAuthenticated()).toBe(false)
  expect(localStorage.getItem('EarshotHears')).not.toMatch(/"access"/)
})

test('a list says which product it is filtered by, and goes on without', async () => {
  const server = fakeServer({
    ...atHome,
    'GET /api/vulns/': () => ({ body: aPage([aVulnRow()]) }),
    'GET /api/kb/detailed-products/7/': () => ({ body: aProduct() }),
  })
  const { address } = visit('/vulns?product=7&monitored=false')
  fireEvent.click(await screen.findByRole('button', { name: 'Product F5 · Nginx: remove this filter' }))
  await waitFor(() => expect(screen.queryByRole('button', { name: /^Product F5/ })).toBeNull())
  fireEvent.click(screen.getByRole('button', { name: 'Not monitored: remove this filter' }))
  await waitFor(() => expect(address()).toBe('/vulns'))
  await waitFor(() => expect(server.to('/api/vulns/').at(-1)?.query.has('product')).toBe(false))
})

test('the public pages are open to whoever is not signed in', async () => {
  resetSession()
  const assign = vi.spyOn(location, 'assign').mockImplementation(() => {})
  visit('/public')
  await waitFor(() => expect(assign).toHaveBeenCalledWith('/public'))
  visit('/conformance')
  await waitFor(() => expect(assign).toHaveBeenCalledWith('/conformance'))
  visit('/census')
  await waitFor(() => expect(assign).toHaveBeenCalledWith('/census'))
  visit('/sources')
  await waitFor(() => expect(assign).toHaveBeenCalledWith('/sources'))
  visit('/status')
  await waitFor(() => expect(assign).toHaveBeenCalledWith('/status'))
})

test('a visitor who is not signed in is led to sign in, and from there to where they wanted to go', async () => {
  resetSession()
  const { address } = visit('/vulns?kev=true&sorted_by=-epss')
  await screen.findByRole('heading', { name: 'Sign in' })
  expect(address()).toBe(`/auth?${new URLSearchParams({ next: '/vulns?kev=true&sorted_by=-epss' })}`)
})

test.each([
  ['/vulns?kev=true#top', '/vulns?kev=true#top'],
  [null, '/homepage'],
  ['', '/homepage'],
  ['//evil.example/x', '/homepage'],
  ['/\\evil.example', '/homepage'],
  ['/.//evil.example/x', '/homepage'],
  ['/x/%2e%2e//evil.example', '/homepage'],
  ['//[', '/homepage'],
  ['https://evil.example', '/homepage'],
  ['javascript:alert(1)', '/homepage'],
  ['/auth?next=/auth', '/homepage'],
])('after signing in for %j one lands at %s', (next, path) => {
  expect(wantedPath(next)).toBe(path)
})

test('where the session ends while a form is filled in, the page waits for a sign-in in another tab', async () => {
  sessionStorage.clear()
  watchForms()
  const opened = vi.spyOn(window, 'open').mockReturnValue({ close: vi.fn() } as unknown as Window)
  openAtVuln('/vulns/12?tab=comments', {})
  const stored = localStorage.getItem('EarshotHears') ?? ''
  const field = await screen.findByLabelText<HTMLTextAreaElement>('Your comment')
  fireEvent.input(field, { target: { value: 'Long thoughts' } })
  loseSession()
  expect(await screen.findByText(/^What you typed is still here/)).toBeTruthy()
  expect(JSON.parse(localStorage.getItem('EarshotHears') ?? '')).toMatchObject({ tokens: null, authenticated: false })
  press('Sign in')
  expect(opened).toHaveBeenCalledWith('/auth')
  localStorage.setItem('EarshotHears', stored)
  dispatchEvent(new StorageEvent('storage', { key: 'EarshotHears' }))
  await waitFor(() => expect(screen.queryByText(/^What you typed is still here/)).toBeNull())
  expect(screen.getByLabelText('Your comment')).toBe(field)
  expect(field.value).toBe('Long thoughts')
  loseSession()
  await screen.findByText(/^What you typed is still here/)
  press('Leave the page')
  expect(await screen.findByText(/^Your session has ended\. Sign in again, and/)).toBeTruthy()
})
