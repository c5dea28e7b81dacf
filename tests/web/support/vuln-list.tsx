import { screen, waitFor } from '@testing-library/react'
import { expect } from 'vitest'
import { Keyboard } from '../../../web/layout/keyboard'
import { VulnListPage } from '../../../web/vulns/list/vuln-list-page'
import { aPage, aVulnRow } from './rows'
import { fakeServer } from './server'
import { show } from './screen'

export const list = '/api/vulns/'

const views = [
  {
    id: 1,
    name: 'Urgent',
    query: 'q=kev',
    is_shared: true,
    is_own: true,
    owner: 'ada',
    updated_at: '2026-11-20T08:00:00Z',
  },
  {
    id: 2,
    name: 'From Grace',
    query: 'monitored=true',
    is_shared: true,
    is_own: false,
    owner: 'grace',
    updated_at: '2026-11-20T08:00:00Z',
  },
]
export function showList(address: string, page = aPage([aVulnRow()])) {
  const server = fakeServer({
    [`GET ${list}`]: ({ query }) => ({
      body: query.get('q')?.startsWith('id=') ? aPage([aVulnRow({ monitored: true })]) : page,
    }),
    'GET /api/vulns/count': () => ({ body: { count: 1234, count_is_exact: true, next: null } }),
    'GET /api/views/': () => ({ body: views }),
    'POST /api/views/': ({ body }) => ({ status: 201, body: { ...views[0], ...Object(body) } }),
    'POST /api/vulns/toggle/bulk': () => ({ body: { monitored: true, set: [12] } }),
    'POST /api/decisions': () => ({
      body: { results: [{ set: [12], skipped: [13], refusal: null, undo: 'it' }] },
    }),
  })
  const { address: currentAddress } = show(
    <>
      <VulnListPage />
      <Keyboard />
    </>,
    address,
  )
  const asksFor = (query: Record<string, string | null>) =>
    waitFor(() => {
      const last = server.to(list).at(-1)?.query
      for (const [name, value] of Object.entries(query)) expect(last?.get(name)).toBe(value)
    })
  return { currentAddress, asksFor, server }
}

export const queryBar = () => screen.getByRole<HTMLInputElement>('combobox', { name: 'Search vulnerabilities' })
