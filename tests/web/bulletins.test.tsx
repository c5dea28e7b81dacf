import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { WeaknessDetail } from '../../worker/taxonomy/contract'
import { resetSession } from '../../web/session/session'
import { signInAs } from './support/account'
import { atHome, refusedWith } from './support/answers'
import { aBulletin, aDetail } from './support/bulletin'
import { aPage } from './support/rows'
import { fakeServer } from './support/server'
import { visit } from './support/visit'

const list = 'GET /api/kb/bulletins'

beforeEach(() => signInAs())
afterEach(() => resetSession())

test('the list shows id, vendor, title, severity and published, and leads to the bulletin', async () => {
  fakeServer({ ...atHome, [list]: () => ({ body: aPage([aBulletin()]) }) })
  const { address } = visit('/kb/bulletins')
  const row = (await screen.findByRole('link', { name: 'ICSA-26-001-01' })).closest('tr') as HTMLElement
  expect(
    within(row)
      .getAllByRole('cell')
      .map((cell) => cell.textContent),
  ).toEqual(['', 'ICSA-26-001-01', 'Acme & Sons', 'Acme Widget', 'High', '2026-11-10', 'No'])
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
    'Select',
    'ID',
    'Vendor',
    'Title',
    'Severity',
    'Published',
    'Monitored',
  ])
  fireEvent.click(within(row).getByRole('link', { name: 'Acme & Sons' }))
  await waitFor(() => expect(address()).toBe('/kb/bulletins?vendor=Acme+%26+Sons'))
  fireEvent.click(await screen.findByRole('button', { name: 'Vendor Acme & Sons: remove this filter' }))
  await waitFor(() => expect(address()).toBe('/kb/bulletins'))
})

test('the typed text is searched for, and monitored only starts at the first page', async () => {
  const server = fakeServer({ ...atHome, [list]: () => ({ body: aPage([aBulletin()], { count: 90 }) }) })
  const { address } = visit('/kb/bulletins?page=3')
  fireEvent.change(await screen.findByRole('searchbox', { name: 'Search bulletins' }), { target: { value: 'siemens' } })
  await waitFor(() => expect(server.to('/api/kb/bulletins').at(-1)?.query.get('search')).toBe('siemens'))
  fireEvent.click(screen.getByRole('checkbox', { name: 'Show monitored only' }))
  await waitFor(() => expect(address()).toBe('/kb/bulletins?search=siemens&monitored=true'))
  expect(screen.getByRole('checkbox', { name: 'Show all' })).toBeTruthy()
})

test('chosen bulletins are monitored at once; then nothing is chosen', async () => {
  let monitored = false
  const rows = () => [aBulletin({ monitored }), aBulletin({ id: 6, publicid: 'B', monitored })]
  const server = fakeServer({
    ...atHome,
    [list]: () => ({ body: aPage(rows()) }),
    'PUT /api/kb/bulletins': () => {
      monitored = true
      return { body: 'toggled.' }
    },
  })
  visit('/kb/bulletins')
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select B' }))
  expect(screen.getByText('1 selected')).toBeTruthy()
  fireEvent.click(screen.getByRole('checkbox', { name: '1 selected' }))
  fireEvent.click(screen.getByRole('button', { name: 'Monitor' }))

  expect(await screen.findByText('Monitoring status successfuly updated.')).toBeTruthy()
  expect(server.to('/api/kb/bulletins').find(({ method }) => method === 'PUT')?.body).toEqual({
    ids: [5, 6],
    monitored: true,
  })
  expect(await screen.findByRole('button', { name: 'Yes: monitor B' })).toBeTruthy()
  expect(screen.getByRole('checkbox', { name: 'Select the page' })).toBeTruthy()
})

test('a refused change says so and changes nothing', async () => {
  const refuse = () => refusedWith(403, 'forbidden', 'No')
  fakeServer({
    ...atHome,
    [list]: () => ({ body: aPage([aBulletin()]) }),
    'PUT /api/kb/bulletins': refuse,
  })
  visit('/kb/bulletins')
  fireEvent.click(await screen.findByRole('button', { name: 'No: monitor ICSA-26-001-01' }))
  expect(await screen.findByText('Unable to change the monitoring status')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'No: monitor ICSA-26-001-01' })).toBeTruthy()

  fireEvent.click(screen.getByRole('checkbox', { name: 'Select ICSA-26-001-01' }))
  fireEvent.click(screen.getByRole('button', { name: 'Monitor' }))
  await waitFor(() => expect(screen.getAllByText('Unable to change the monitoring status').length).toBeGreaterThan(0))
  expect(screen.getByText('1 selected')).toBeTruthy()
})

test('a list that fails is emptied, told, and can be tried again', async () => {
  let isUp = false
  fakeServer({
    ...atHome,
    [list]: () => (isUp ? { body: aPage([aBulletin()]) } : refusedWith(400, 'invalid', 'No')),
  })
  visit('/kb/bulletins')
  expect((await screen.findAllByText('unable to get bulletins')).length).toBeGreaterThan(0)
  isUp = true
  fireEvent.click(await screen.findByRole('button', { name: 'Retry' }))
  expect(await screen.findByText('Acme Widget')).toBeTruthy()
})

test('a list that fails on our side names the reference by which its operator finds the call', async () => {
  const broken = { body: { code: 'error', message: 'Something went wrong' }, headers: { 'x-request-id': '7f3a-SJC' } }
  fakeServer({ ...atHome, [list]: () => ({ ...broken, status: 500 }) })
  visit('/kb/bulletins')
  // In the list and in the notice, after the tries.
  await waitFor(() => expect(screen.getAllByText('Reference 7f3a-SJC')).toHaveLength(2), { timeout: 9_000 })
})

test('a bulletin tells the state of each product by CVE, what to do, and where it comes from', async () => {
  fakeServer({ ...atHome, 'GET /api/kb/bulletins/5': () => ({ body: aDetail() }) })
  visit('/kb/bulletins/5')
  expect(await screen.findByRole('heading', { level: 1, name: 'Acme Widget' })).toBeTruthy()
  const card = (name: string) => within(screen.getByRole('region', { name }))

  expect(card('Summary').getByText('An attacker could stop the widget.')).toBeTruthy()
  expect(card('Summary').getByText('Energy')).toBeTruthy()

  const cves = card('CVEs (3)')
  const href = (name: string) => cves.getByRole('link', { name }).getAttribute('href')
  expect(href('CVE-2026-10001')).toBe('/vulns/12')
  expect(href('CVE-2026-10002')).toBe('https://www.cve.org/CVERecord?id=CVE-2026-10002')
  expect(href('CWE-79')).toBe('/kb/cwe/79')
  const terms = cves.getAllByRole('term').map((term) => `${term.textContent}: ${term.nextElementSibling?.textContent}`)
  expect(terms).toEqual([
    'Affected: Widget <2.0',
    'Fixed: Widget 2.06 more in the document',
    'Not affected: Widget <2.0',
    'Because: vulnerable code not presentFor Widget <2.0',
    'Exploits: In the catalogue of CISA',
  ])
  expect(cves.getByText('1 more CVE in the document')).toBeTruthy()

  const remedies = card('Remediations (4)')
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent)
  expect(remedies[0]).toMatch(
    /^Vendor fixUpdate to 2\.0\.https:\/\/acme\.example\/2\.0.*Restart: machine.*For CVE-2026-10001 · Widget <2\.0$/,
  )
  expect(remedies[1]).toMatch(/^MitigationUse a firewall\./)
  expect(card('Bulletin').getByRole('link', { name: 'Open it at the publisher' }).getAttribute('href')).toBe(
    'https://cert.example/ICSA-26-001-01',
  )
  expect(card('Remediations (4)').getByText('2 more in the document.')).toBeTruthy()
  expect(card('Bulletin').getByText('Jane Doe (Acme): reporting it')).toBeTruthy()
  expect(card('References (1)').queryByRole('link')).toBeNull()
})

test('a bulletin that says next to nothing is still a page', async () => {
  const body = {
    notes: [],
    products: [],
    products_count: 0,
    vulns: [],
    vulns_count: 0,
    remediations: [],
    references: [],
  }
  const detail = { ...aDetail(body), impact: null, severity: null, vulns: [] }
  fakeServer({ ...atHome, 'GET /api/kb/bulletins/5': () => ({ body: detail }) })
  visit('/kb/bulletins/5')
  expect(await screen.findByText('This bulletin names no vulnerability.')).toBeTruthy()
  expect(screen.getByText('This bulletin names no product.')).toBeTruthy()
})

test.each([
  ['/kb/bulletins/99', 'Bulletin not found'],
  ['/kb/bulletins/x', 'Bulletin not found'],
  ['/kb/cwe/99', 'Weakness not found'],
  ['/kb/cwe/x', 'Weakness not found'],
])('at %s it says: %s', async (address, heading) => {
  fakeServer(atHome)
  visit(address)
  expect(await screen.findByRole('heading', { name: heading })).toBeTruthy()
})

const aWeakness: WeaknessDetail = {
  id: 79,
  cwe_id: 'CWE-79',
  name: 'Cross-site Scripting',
  description: 'Input is not neutralized.',
  refs: { CAPEC: ['CAPEC-63'], 'MITRE-ATTACK': [] },
  abstraction: 'Base',
  status: 'Stable',
  likelihood: 'High',
  related: [{ nature: 'ChildOf', id: 74, cwe_id: 'CWE-74', name: 'Injection' }],
  patterns: [
    {
      capec_id: 'CAPEC-63',
      name: 'Cross-Site Scripting (XSS)',
      description: 'An adversary embeds scripts.',
      likelihood: 'High',
      severity: 'Very High',
      technique_ids: ['T1059.007'],
    },
  ],
  techniques: [
    {
      external_id: 'T1059.007',
      name: 'JavaScript',
      url: 'https://attack.mitre.org/techniques/T1059/007',
      description: 'Adversaries run scripts.',
      domains: ['enterprise'],
    },
  ],
}

test('a weakness leads to its vulnerabilities, its relatives, CAPEC and ATT&CK', async () => {
  fakeServer({ ...atHome, 'GET /api/kb/cwe/79': () => ({ body: aWeakness }) })
  visit('/kb/cwe/CWE-79')
  expect(await screen.findByRole('heading', { level: 1, name: 'CWE-79 Cross-site Scripting' })).toBeTruthy()
  const href = (name: string | RegExp) => screen.getByRole('link', { name }).getAttribute('href')
  expect(href('Vulnerabilities of this kind')).toBe('/vulns?cwe_id=CWE-79')
  expect(href('CWE-74 Injection')).toBe('/kb/cwe/74')
  expect(href(/CAPEC-63/)).toBe('https://capec.mitre.org/data/definitions/63.html')
  expect(href(/T1059\.007 JavaScript/)).toBe('https://attack.mitre.org/techniques/T1059/007')
  expect(screen.getByText(/Child of/)).toBeTruthy()
})

test('where there are no bulletins, the list says so, and a narrower one only that nothing matches', async () => {
  fakeServer({ ...atHome, [list]: () => ({ body: aPage([]) }) })
  visit('/kb/bulletins')
  await screen.findByText('No bulletins yet')
  cleanup()
  visit('/kb/bulletins?search=acme')
  await screen.findByText('No bulletin matches')
})
