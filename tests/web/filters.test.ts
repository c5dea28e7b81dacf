import { expect, test } from 'vitest'
import { VulnQuery } from '../../worker/vulns/contract'
import { parseFilters, readFilters, writeFilters } from '../../web/lib/filters'
import { takeEarly } from '../../web/lib/early'

const defaults = { limit: 10 }
const read = (search: string) => readFilters(VulnQuery, new URLSearchParams(search), defaults)
const write = (search: string, patch: Record<string, unknown>) =>
  writeFilters(VulnQuery, new URLSearchParams(search), patch, defaults).toString()

test('an empty address means the defaults of the screen, then those of the contract', () => {
  expect(read('')).toEqual({ page: 1, limit: 10, sorted_by: '-updated_at' })
})

test('the address is parsed as the worker would', () => {
  expect(read('page=3&monitored=true&score__gte=40&sorted_by=-score&search=nginx')).toMatchObject({
    page: 3,
    monitored: true,
    score__gte: 40,
    sorted_by: '-score',
    search: 'nginx',
  })
})

test.each([
  ['page=0', { page: 1 }],
  ['page=many', { page: 1 }],
  ['limit=-5', { limit: 10 }],
  ['limit=5000', { limit: 100 }],
  ['sorted_by=password', { sorted_by: '-updated_at' }],
  ['monitored=perhaps&search=nginx', { search: 'nginx' }],
  ['updated_at__gte=yesterday&kev=true', { kev: true }],
])('a wrong value counts as not given: %s', (search, expected) => {
  const filters = read(search)
  expect(filters).toMatchObject(expected)
  expect(filters).not.toHaveProperty('updated_at__gte', 'yesterday')
  expect(filters.monitored).toBeUndefined()
})

test('a wrong value is named, and a right or foreign one is not', () => {
  const params = new URLSearchParams('monitored=perhaps&search=nginx&tab=history&score__gte=much')
  const { unread } = parseFilters(VulnQuery, params)
  expect(unread).toEqual([
    ['monitored', 'perhaps'],
    ['score__gte', 'much'],
  ])
})

test('defaults stay out of the address', () => {
  expect(write('limit=50&search=nginx', { limit: 10, search: '' })).toBe('')
  expect(write('', { sorted_by: '-updated_at', page: 1 })).toBe('')
})

test('every change but that of the page starts at page 1', () => {
  expect(write('page=4', { search: 'nginx' })).toBe('search=nginx')
  expect(write('search=nginx', { page: 4 })).toBe('search=nginx&page=4')
})

test('foreign parameters of the address stay', () => {
  expect(write('tab=history', { page: 2 })).toBe('tab=history&page=2')
})

test('a reply asked for before the app was there is taken once, and a refusal by the loader and the screen', async () => {
  const url = '/api/vulns/?count=quick&limit=20&page=1'
  window.earshotEarly = new Map([[url, Promise.resolve(new Response('early'))]])
  expect(await takeEarly('/api/vulns/?count=quick&limit=20&page=2')).toBeUndefined()
  expect(await (await takeEarly(url))?.text()).toBe('early')
  expect(await takeEarly(url)).toBeUndefined()

  window.earshotEarly.set('/api/vulns/?q=wrong(', Promise.resolve(new Response('refused', { status: 400 })))
  for (const _ of ['loader', 'screen']) expect(await (await takeEarly('/api/vulns/?q=wrong('))?.text()).toBe('refused')
})
