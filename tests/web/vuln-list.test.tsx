import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { VulnListPage } from '../../web/vulns/vuln-list-page'
import { aPage, aVuln } from './support/rows'
import { fakeServer } from './support/server'
import { show } from './support/screen'

const list = '/api/vulns/'
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
const choose = (name: string) => fireEvent.click(screen.getByRole('checkbox', { name }))
const isChosen = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name }).checked

function showList(address: string, page = aPage([aVuln()])) {
  const server = fakeServer({ [`GET ${list}`]: () => ({ body: page }) })
  const { address: shown } = show(<VulnListPage />, address)
  const asksFor = (query: Record<string, string | null>) =>
    waitFor(() => {
      const last = server.to(list).at(-1)?.query
      for (const [name, value] of Object.entries(query)) expect(last?.get(name)).toBe(value)
    })
  return { shown, asksFor }
}

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
  const { shown } = showList('/vulns?updated_at__gte=2026-01-02')
  fireEvent.click(screen.getByRole('button', { name: /Since 2026-01-02/ }))
  await waitFor(() => expect(shown()).toBe('/vulns'))
})

test('an unscored vulnerability shows n/a and no word that sounds safe', async () => {
  showList('/vulns')
  const row = within((await screen.findByText('CVE-2026-10012')).closest('tr') ?? document.body)
  expect(row.getAllByText('n/a')).toHaveLength(4)
  expect(row.queryByText(/low|none|safe|0\.0|0%/i)).toBeNull()
})

test('an awaited and a rejected vulnerability say so', async () => {
  showList('/vulns', aPage([aVuln({ id: 1, state: 'awaiting', summary: 'x' }), aVuln({ id: 2, state: 'rejected' })]))
  expect(await screen.findByText('Awaiting its record')).toBeTruthy()
  expect(screen.getByText('Rejected')).toBeTruthy()
})

test('a count that stopped at its cap says that there are more', async () => {
  showList('/vulns', aPage([aVuln()], { count: 10_000, count_is_exact: false }))
  expect(await screen.findByText('1–1 of 10,000+')).toBeTruthy()
})

test('a header sorts by what matters most first, then the other way round', async () => {
  const { asksFor } = showList('/vulns')
  const header = await screen.findByRole('columnheader', { name: 'Score' })
  fireEvent.click(within(header).getByRole('button'))
  await asksFor({ sorted_by: '-score' })
  await waitFor(() => expect(header.getAttribute('aria-sort')).toBe('descending'))
  fireEvent.click(within(header).getByRole('button'))
  await asksFor({ sorted_by: 'score' })
})
