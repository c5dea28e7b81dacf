import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { signInAs } from './support/account'
import { atHome } from './support/answers'
import { aReport, aReportRow } from './support/reports'
import { fakeServer } from './support/server'
import { visit } from './support/visit'

const rows = [
  aReportRow(),
  aReportRow({ id: 13, name: 'CVE-2026-10013', is_held: true }),
  aReportRow({ id: 14, name: 'CVE-2026-10014', is_new: false }),
]
const report = aReport({ new: 2, updated: 1, held: 1, fixed: 3, rows })
const listed = () => [...new Set(screen.queryAllByRole('link', { name: /^CVE-/ }).map((link) => link.textContent))]
const number = (label: string) => within(screen.getByText(label, { selector: 'dt' }).parentElement ?? document.body)

function open(address: string, body: object) {
  signInAs()
  fakeServer({ ...atHome, 'GET /api/reports/daily/now': () => ({ body }), [`GET /api${address}`]: () => ({ body }) })
  visit(address)
}

test('the numbers of a report lead to the rows that they count', async () => {
  open('/reports/daily/2026-11-20', report)
  await waitFor(() => expect(listed()).toHaveLength(3))
  fireEvent.click(number('New').getByRole('link', { name: '2: show these rows' }))
  await waitFor(() => expect(listed()).toEqual(['CVE-2023-4966', 'CVE-2026-10013']))
  fireEvent.click(number('Held back').getByRole('link'))
  await waitFor(() => expect(listed()).toEqual(['CVE-2026-10013']))
  fireEvent.click(screen.getByRole('button', { name: 'Show all 3' }))
  await waitFor(() => expect(listed()).toHaveLength(3))
  // No list shows what was decided in a period, or was open at the end of a former one.
  expect(number('Fixed').queryByRole('link')).toBeNull()
  expect(screen.queryByRole('link', { name: /open, Critical$/ })).toBeNull()
})

test('a report of several pages leads to no rows, as a page holds a part of them', async () => {
  open('/reports/daily/2026-11-20', { ...report, pages: 2 })
  await waitFor(() => expect(listed()).toHaveLength(3))
  expect(number('New').queryByRole('link')).toBeNull()
})

test('the report of now leads to the open vulnerabilities that it counts', async () => {
  open('/reports/daily/now', report)
  const link = await screen.findByRole('link', { name: '1 open, Critical' })
  const { pathname, searchParams } = new URL(link.getAttribute('href') ?? '', 'http://x')
  expect([pathname, searchParams.get('monitored'), searchParams.get('q')]).toEqual([
    '/vulns',
    'true',
    'NOT status:fixed NOT status:not_interesting NOT snoozed severity:critical',
  ])
})
