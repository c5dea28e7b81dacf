import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { colourQuery } from '../../web/vulns/list/query-bar'
import { listShownTerms, termLabel } from '../../web/vulns/list/query-terms'
import { VulnListPage } from '../../web/vulns/list/vuln-list-page'
import { aPage, aVulnRow } from './support/rows'
import { fakeServer } from './support/server'
import { show } from './support/screen'
import { queryBar, showList } from './support/vuln-list'

test('one box takes words, which are searched for when typing pauses, and queries, one at a time', async () => {
  const { asksFor, currentAddress } = showList('/vulns')
  fireEvent.change(queryBar(), { target: { value: 'remote code' } })
  await asksFor({ search: 'remote code', q: null })
  for (const name of ['CVE-2021-44228', 'PH-12', 'cpe:2.3:a:apache:log4j', 'pkg:npm/left-pad', 'RHSA-2024:4312']) {
    fireEvent.change(queryBar(), { target: { value: name } })
    fireEvent.keyDown(queryBar(), { key: 'Enter' })
    await asksFor({ search: name, q: null })
  }
  fireEvent.change(queryBar(), { target: { value: 'vendor:apache "remote code" OR kev' } })
  fireEvent.keyDown(queryBar(), { key: 'Enter' })
  await asksFor({ search: null, q: 'vendor:apache "remote code" OR kev' })
  expect(colourQuery(queryBar().value).map(({ kind, piece }) => `${kind} ${piece}`)).toEqual([
    'field vendor',
    'operator :',
    'value apache',
    'plain  ',
    'text "remote code"',
    'plain  ',
    'keyword OR',
    'plain  ',
    'plain kev',
  ])
  fireEvent.change(queryBar(), { target: { value: '' } })
  await waitFor(() => expect(currentAddress()).toBe('/vulns'))
})

test.each([
  ['NOT kev:false', 'In KEV'],
  ['NOT kev', 'Not in KEV'],
  ['kev:false', 'Not in KEV'],
  ['NOT status:not_interesting', 'Status ≠ not interesting'],
  ['NOT vendor:apache', 'Not vendor = apache'],
])('the pill of %s reads "%s"', (q, label) => {
  expect(listShownTerms(q).map(termLabel)).toEqual([label])
})

test('words that name a filter are offered as one, beside the filters that are there', async () => {
  const { asksFor } = showList('/vulns?search=apache+2024&q=kev+OR+wild')
  fireEvent.click(await screen.findByRole('button', { name: '2024: Published in 2024' }))
  await asksFor({ search: 'apache', q: '(kev OR wild) AND published:2024' })
})

test('a count that is not exact at once goes on in steps', async () => {
  const steps = [
    { count: 325, count_is_exact: false, next: 3_000 },
    { count: 862, count_is_exact: true, next: null },
  ]
  const server = fakeServer({
    'GET /api/vulns/': () => ({ body: aPage([aVulnRow()], { count: 1, count_is_exact: false }) }),
    'GET /api/vulns/count': () => ({ body: steps.shift() }),
    'GET /api/views/': () => ({ body: [] }),
  })
  show(<VulnListPage />, '/vulns?q=cwe:79')
  expect(await screen.findByText('1–1 of 1,187')).toBeTruthy()
  expect(server.to('/api/vulns/count').map(({ query }) => query.get('after'))).toEqual(['0', '3000'])
})
