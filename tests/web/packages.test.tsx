import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { Route, Routes } from 'react-router-dom'
import { expect, test } from 'vitest'
import { PackageListPage } from '../../web/kb/packages/package-list-page'
import { PackagePage } from '../../web/kb/packages/package-page'
import type { PackageDetail, PackageRow, PackageVuln } from '../../worker/packages/contract'
import { aPage, aVulnRow } from './support/rows'
import { show } from './support/screen'
import { fakeServer } from './support/server'

const aPackage = (given: Partial<PackageRow> = {}): PackageRow => ({
  id: 3,
  type: 'maven',
  name: 'org.acme:widget',
  purl: 'pkg:maven/org.acme/widget',
  monitored: false,
  vulns_cnt: 2,
  updated_at: '2026-11-18T10:00:00Z',
  vulns: [],
  ...given,
})
const aDetail = (given: Partial<PackageDetail> = {}): PackageDetail => ({
  ...aPackage(),
  versions: [
    { id: 1, version: '2.13.0', branch: '2.13.x' },
    { id: 2, version: '2.15.0', branch: '2.15.x' },
  ],
  lifecycles: [],
  look_alikes: [],
  releases: [],
  vulns: [],
  vulnerable_packages_versions: {},
  timeline: [],
  ...given,
})
const aPackageVuln = (given: Partial<PackageVuln> = {}): PackageVuln => ({
  ...aVulnRow(),
  affected: [
    {
      source: 'ghsa/GHSA-1',
      versions: ['>= 2.13.0, < 2.15.0'],
      versions_count: 1,
      fixed: ['2.15.0'],
      first_unlisted: [],
    },
    { source: 'osv/OSV-1', versions: ['< 2.15.0'], versions_count: 1, fixed: [], first_unlisted: ['2.15.1'] },
  ],
  verdict: null,
  ...given,
})
const showPackage = () =>
  show(
    <Routes>
      <Route path="packages/:id" element={<PackagePage />} />
    </Routes>,
    '/packages/3',
  )
const list = 'GET /api/kb/packages/'
const detail = 'GET /api/kb/packages/3/'
const vulns = 'GET /api/kb/packages/3/vulns'
const toggle = 'POST /api/monitor/package/toggle'
const aVulnPage = (rows: PackageVuln[], given: object = {}) => ({ ...aPage(rows), tested: 0, unknown: 0, ...given })

test('the list shows type, name, vulnerabilities, monitoring and last update, and leads to each package', async () => {
  fakeServer({ [list]: () => ({ body: aPage([aPackage(), aPackage({ id: 4, type: 'swid', name: 'other' })]) }) })
  show(<PackageListPage />, '/packages')
  const link = await screen.findByRole('link', { name: 'org.acme:widget' })
  expect(link.getAttribute('href')).toBe('/packages/3')
  const heads = screen.getAllByRole('columnheader').map((head) => head.textContent)
  expect(heads).toEqual(['Type', 'Package', '# Vulnerabilities', 'Monitored', 'Last update', 'Actions'])
  const [, first, second] = screen.getAllByRole('row')
  expect(first?.textContent).toContain('Maven')
  expect(screen.getByRole('link', { name: '2 vulnerabilities of org.acme:widget' }).getAttribute('href')).toBe(
    '/vulns?package=3',
  )
  // Sorted by none of the columns, a narrow screen names none.
  expect(screen.getByLabelText<HTMLSelectElement>('Sort by').selectedOptions[0]?.textContent).toBe('Sort by…')
  expect(first?.textContent).toContain('2026-11-18')
  expect(second?.textContent).toContain('swid')
})

test('monitored only asks from the first page on, and all again likewise', async () => {
  const server = fakeServer({ [list]: () => ({ body: { ...aPage([aPackage()]), count: 40 } }) })
  const { address } = show(<PackageListPage />, '/packages?page=3')
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Show monitored only' }))
  await waitFor(() => expect(address()).toBe('/packages?monitored=true'))
  expect(server.to('/api/kb/packages/').at(-1)?.query.get('monitored')).toBe('true')
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Show all' }))
  await waitFor(() => expect(address()).toBe('/packages'))
})

test('a toggle flips when the server has answered, and says so; a refused one stays', async () => {
  let monitored = false
  let refused = true
  const server = fakeServer({
    [list]: () => ({ body: aPage([aPackage({ monitored })]) }),
    [toggle]: () => {
      if (refused) return { status: 403, body: { code: 'forbidden', message: 'No' } }
      monitored = true
      return { body: 'toggled.' }
    },
  })
  show(<PackageListPage />, '/packages')
  fireEvent.click(await screen.findByRole('button', { name: 'No: monitor maven org.acme:widget' }))
  expect(await screen.findByText('Unable to change the monitoring status')).toBeTruthy()
  refused = false
  fireEvent.click(screen.getByRole('button', { name: 'No: monitor maven org.acme:widget' }))
  expect(await screen.findByRole('button', { name: 'Yes: monitor maven org.acme:widget' })).toBeTruthy()
  expect(screen.getByText('Monitoring status successfuly updated.')).toBeTruthy()
  expect(server.to('/api/monitor/package/toggle').at(-1)?.body).toMatchObject({ package_id: 3, monitored: true })
})

test('a list that fails is emptied and told; one without hits says what can be searched', async () => {
  let isUp = false
  fakeServer({
    'GET /api/monitor/groups': () => ({ body: [] }),
    [list]: () => (isUp ? { body: aPage([]) } : { status: 400, body: { code: 'invalid', message: 'No' } }),
  })
  show(<PackageListPage />, '/packages')
  expect((await screen.findAllByText('Unable to get packages')).length).toBeGreaterThan(0)
  isUp = true
  fireEvent.click(await screen.findByRole('button', { name: 'Retry' }))
  expect(await screen.findByText('No package matches')).toBeTruthy()
})

test('a package shows its name, purl and vulnerabilities with affected and fixed versions by source', async () => {
  fakeServer({ [detail]: () => ({ body: aDetail() }), [vulns]: () => ({ body: aVulnPage([aPackageVuln()]) }) })
  showPackage()
  expect(await screen.findByText('pkg:maven/org.acme/widget')).toBeTruthy()
  const table = within(await screen.findByRole('table', { name: 'Vulnerabilities' }))
  expect(await table.findByRole('link', { name: 'CVE-2026-10012' })).toBeTruthy()
  expect(table.getByText('2.13.0 – before 2.15.0')).toBeTruthy()
  expect(table.getAllByText(/GHSA-1$/)).toHaveLength(2)
  expect(table.getAllByText(/OSV-1$/)).toHaveLength(2)
  expect(table.getByText('not listed from 2.15.1 on')).toBeTruthy()
  expect(screen.getByRole('list', { name: 'Versions 2.15.x' })).toBeTruthy()
})

test('a version that is typed filters by the ranges, and tells what the answer rests on', async () => {
  const verdict = {
    status: 'affected' as const,
    confidence: 'confirmed' as const,
    source: 'ghsa/GHSA-1',
    fixed_in: '2.15.0',
    first_unlisted: null,
    is_disputed: false,
  }
  const server = fakeServer({
    [detail]: () => ({ body: aDetail({ vulns_cnt: 900 }) }),
    [vulns]: ({ query }) => ({
      body: query.get('version')
        ? aVulnPage([aPackageVuln({ verdict })], { tested: 450, unknown: 1 })
        : aVulnPage([aPackageVuln(), aPackageVuln({ id: 13, cveid: 'CVE-2026-10013' })]),
    }),
  })
  const { address } = showPackage()
  fireEvent.change(await screen.findByRole('searchbox', { name: 'Version' }), { target: { value: '2.14.1' } })
  fireEvent.click(screen.getByRole('button', { name: 'Filter by this version' }))
  expect(await screen.findByText('Vulnerabilities that affect 2.14.1')).toBeTruthy()
  expect(address()).toBe('/packages/3?version=2.14.1')
  expect(await screen.findByText('Affected')).toBeTruthy()
  const note = await screen.findByRole('note')
  expect(note.textContent).toBe(
    'Only the newest 450 of 900 vulnerabilities were checked. For 1 vulnerability, it is not known whether this version is affected.',
  )
  expect(server.to('/api/kb/packages/3/vulns').at(-1)?.query.get('version')).toBe('2.14.1')
  fireEvent.click(screen.getByRole('button', { name: 'Reset the version' }))
  await waitFor(() => expect(address()).toBe('/packages/3'))
})

test('a known version is chosen by its chip; a version that nothing affects says so', async () => {
  fakeServer({
    [detail]: () => ({ body: aDetail() }),
    [vulns]: ({ query }) => ({ body: aVulnPage(query.get('version') ? [] : [aPackageVuln()], { tested: 2 }) }),
  })
  showPackage()
  fireEvent.click(await screen.findByRole('button', { name: '2.15.0' }))
  expect(await screen.findByText('No known vulnerability affects 2.15.0')).toBeTruthy()
})

test('the release of a distribution can be named', async () => {
  const releases = ['Red Hat Enterprise Linux 8', 'Red Hat Enterprise Linux 9']
  const server = fakeServer({
    [detail]: () => ({ body: aDetail({ releases }) }),
    [vulns]: () => ({ body: aVulnPage([aPackageVuln()]) }),
  })
  showPackage()
  fireEvent.change(await screen.findByRole('combobox', { name: 'Release' }), { target: { value: releases[1] } })
  await waitFor(() =>
    expect(server.to('/api/kb/packages/3/vulns').at(-1)?.query.get('release')).toBe('Red Hat Enterprise Linux 9'),
  )
})

test('the timeline of a package is that of its vulnerabilities', async () => {
  const vuln = { id: 12, cveid: 'CVE-2026-10012', summary: 'A flaw.', score: 70 }
  const entry = { id: 'c1', date: '2026-11-18T10:00:00Z', vuln, reason: 'Updated', changes: ['Fixed'], source: 'ghsa' }
  fakeServer({
    [detail]: () => ({ body: aDetail() }),
    [vulns]: () => ({ body: aVulnPage([]) }),
    'GET /api/kb/packages/3/timeline': () => ({ body: aPage([entry]) }),
  })
  showPackage()
  fireEvent.click(await screen.findByRole('tab', { name: 'Timeline' }))
  expect((await screen.findByRole('link', { name: 'CVE-2026-10012' })).getAttribute('href')).toBe('/vulns/12')
  expect(screen.getByText('Fixed')).toBeTruthy()
})

test('a package that is not there says so, and one that cannot be read can be tried again', async () => {
  let status = 404
  fakeServer({
    [detail]: () => (status === 200 ? { body: aDetail() } : { status, body: { code: 'not_found', message: 'No' } }),
    [vulns]: () => ({ body: aVulnPage([]) }),
  })
  showPackage()
  expect((await screen.findByRole('link', { name: 'All packages' })).getAttribute('href')).toBe('/packages')
  status = 400
  showPackage()
  expect((await screen.findAllByText('Unable to get package details')).length).toBeGreaterThan(0)
})
