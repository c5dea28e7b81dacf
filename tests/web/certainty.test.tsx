import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { VulnDetail } from '../../worker/vulns/detail/contract'
import { signInAs } from './support/account'
import { atHome } from './support/answers'
import { openAtVuln } from './support/at-vuln'
import { aPage, aVulnRow } from './support/rows'
import { aReport, aReportRow } from './support/reports'
import { fakeServer } from './support/server'
import { visit } from './support/visit'
import { aVulnDetail } from './support/vuln-detail'

const page = '/vulns/12'

beforeEach(() => signInAs())
afterEach(() => vi.unstubAllEnvs())

const openVuln = (given: Partial<VulnDetail>) =>
  openAtVuln(page, { 'GET /api/vulns/12/': () => ({ body: aVulnDetail(given) }) })
/** By its label alone: roles of a whole page are slow to compute. */
const card = async (name: string) =>
  within(
    await waitFor(
      () => {
        const found = document.querySelector<HTMLElement>(`section[aria-label="${name}"]`)
        if (!found) throw new Error(`There is no ${name}`)
        return found
      },
      { timeout: 30_000 },
    ),
  )

test('a flag of which nobody said no is not known (Log4Shell in the news)', async () => {
  openVuln({ is_exploitable: true, unknown_flags: ['is_in_the_news'] })
  const metrics = await card('Metrics')
  const words = metrics.getAllByRole('switch').map(({ textContent }) => textContent)
  expect(words.slice(0, 3)).toEqual(['Exploitable: Yes', 'Confirmed: No', 'Relayed in the News: Not known'])
})

test('a provisional score says so by a word, and why', async () => {
  openVuln({ score: 89, is_score_provisional: true })
  const score = await card('Score')
  expect(score.getByText('Provisional').getAttribute('title')).toContain('until a CVSS vector is given')
  expect(score.getByText(/There is no CVSS vector yet/)).toBeTruthy()
})

const scores = () =>
  [...document.querySelectorAll('tbody [data-band]')].map((badge) => {
    const beside = badge.parentElement
    const isMarked =
      beside?.textContent.includes('Provisional') || beside?.querySelector('[role="img"][aria-label="Provisional"]')
    return `${badge.textContent}${isMarked ? ' Provisional' : ''}`
  })

test('a list marks a provisional score, and no rating', async () => {
  const vulns = [aVulnRow({ id: 12, score: 80, is_score_provisional: true }), aVulnRow({ id: 13, score: 60 })]
  fakeServer({ ...atHome, 'GET /api/vulns/': () => ({ body: aPage(vulns) }) })
  visit('/vulns')
  await waitFor(() => expect(scores()).toEqual(['80/100 Provisional', '60/100']), { timeout: 30_000 })
})

test('a report marks a provisional score in each of its tables', async () => {
  const report = aReport({
    new: 2,
    support_ends: ['Widget 3 ended.'],
    more_ends: 2,
    pages: 2,
    rows: [aReportRow({}), aReportRow({ id: 13, score: 60, is_score_provisional: false, kev: false })],
  })
  fakeServer({ ...atHome, 'GET /api/reports/daily/2026-11-20': () => ({ body: report }) })
  visit('/reports/daily/2026-11-20')
  const marked = ['80/100 Provisional', '60/100']
  await waitFor(() => expect(scores().filter((text) => text.includes('/100'))).toEqual([...marked, ...marked]))
  expect(screen.getByText('Widget 3 ended.').nextSibling?.textContent).toBe('And 2 releases more.')
})

test('a rating is not marked as provisional', async () => {
  openVuln({ score: 89, is_score_provisional: false })
  await card('Score')
  expect(screen.queryByText('Provisional')).toBeNull()
})

test.each(['America/New_York', 'Europe/Paris', 'Pacific/Kiritimati'])(
  'Heartbleed was published on the same day in %s, and at no hour',
  async (zone) => {
    vi.stubEnv('TZ', zone)
    openVuln({ published: '2014-04-07' })
    const summary = await card('Summary')
    expect(summary.getByText('2014-04-07')).toBeTruthy()
    expect(summary.queryByText(/2014-04-0\d \d/)).toBeNull()
  },
)

test.each(['America/New_York', 'Europe/Paris'])(
  'a change of a day has no hour in %s (CVE-2021-44228 on the page of its vendor)',
  async (zone) => {
    vi.stubEnv('TZ', zone)
    const vendor = { id: 7, name: 'apache', aliases: [], monitored: false, products_count: 1, vulns_count: 1 }
    fakeServer({
      ...atHome,
      'GET /api/kb/vendors/7/': () => ({ body: { ...vendor, updated_at: '2024-02-27T00:00:00Z' } }),
      'GET /api/vulns/': () => ({ body: aPage([aVulnRow({ updated_at: '2024-02-27T00:00:00Z' })]) }),
    })
    visit('/vendor/7')
    const days = await waitFor(() => {
      const found = [...document.querySelectorAll('main time')].map(({ textContent }) => textContent)
      expect(found.length).toBeGreaterThan(1)
      return found
    })
    expect(new Set(days)).toEqual(new Set(['2024-02-27']))
  },
)

test('CISA’s name, action and notes are shown (CVE-2023-4966)', async () => {
  openVuln({
    title: 'Citrix NetScaler ADC and NetScaler Gateway Buffer Overflow Vulnerability',
    kev: {
      added: '2023-10-18',
      due: '2023-11-08',
      ransomware: true,
      name: 'Citrix NetScaler ADC and NetScaler Gateway Buffer Overflow Vulnerability',
      vendor: 'Citrix',
      product: 'NetScaler ADC and NetScaler Gateway',
      action: 'Apply mitigations and kill all active and persistent sessions per vendor instructions.',
      notes: 'https://support.citrix.com/article/CTX579459',
    },
  })
  const action = await card('What CISA says to do')
  expect(action.getByText('Citrix NetScaler ADC and NetScaler Gateway')).toBeTruthy()
  expect(action.getByText(/kill all active and persistent sessions/).textContent).toContain('Due 2023-11-08')
  expect(action.getByRole('link').getAttribute('href')).toBe('https://support.citrix.com/article/CTX579459')
  expect((await card('Summary')).getByText(/^Citrix NetScaler .* Overflow Vulnerability$/)).toBeTruthy()
})

type Item = VulnDetail['affected_items'][number]
const anItem = (given: Partial<Item>): Item => ({
  via: 'product',
  id: 3,
  vendor: 'apache',
  name: 'log4j',
  purl: null,
  monitored: false,
  place: 'named',
  versions: ['< 2.15.0'],
  versions_count: 1,
  sources: ['nvd'],
  is_disputed: false,
  fixed: [],
  first_unlisted: [],
  fix: null,
  is_name_only: false,
  ...given,
})

test('affected versions stand once in the order of the answer, under what fixes it, with who says so and a disagreement', async () => {
  const product = { product_id: 3, vendor: 'apache', product: 'log4j', monitored: false, is_name_only: false }
  const fixes = { fixed: ['2.16.0'], fix: '2.16.0' }
  const names = ['solr', 'webex', 'ubuntu_linux', 'debian_linux']
  openVuln({
    product_count: 5,
    package_count: 1,
    affected: [
      { ...product, source: 'nvd', versions: ['< 2.15.0'], versions_count: 1, fixed: [], first_unlisted: ['2.15.0'] },
      { ...product, source: 'summary', versions: ['2.15.0'], versions_count: 1, fixed: ['2.16.0'], first_unlisted: [] },
    ],
    affected_items: [
      anItem({ via: 'package', vendor: 'maven', name: 'log4j-core', ...fixes }),
      anItem({ ...fixes, first_unlisted: ['2.15.0'], sources: ['nvd', 'summary'], is_disputed: true }),
      ...names.map((name, at) =>
        anItem({ id: at + 4, name, place: at < 2 ? 'other' : 'distribution', versions: [], is_name_only: true }),
      ),
    ],
  })
  const affected = await card('Affected products and packages (6)')
  const read = () => affected.getAllByRole('row').map(({ textContent }) => textContent)
  const rows = read().slice(1)
  expect(rows).toEqual([
    'Fixed in 2.16.0named in the record',
    expect.stringContaining('log4j-coremavenbefore 2.15.0'),
    expect.stringMatching(/^Log4jApache.*First not listed as affected: 2\.15\.0.*Sources disagree/),
    'No source names a fixothers that are affected',
    expect.stringMatching(/^Solr.*No versions named/),
    expect.stringMatching(/^Webex/),
    'No source names a fixdistributions and images',
    expect.stringMatching(/^Ubuntu LinuxApache/),
  ])
  expect(affected.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
    '/packages/3',
    '/product/3',
    '/product/4',
    '/product/5',
    '/product/6',
  ])
  const disagreement = affected.getByText('Sources disagree').closest('details')
  expect(disagreement?.open).toBe(false)
  expect(disagreement?.textContent).toContain('Its summary')
  fireEvent.click(affected.getByText('Show all 6'))
  expect(read()).toHaveLength(rows.length + 2)

  // The version test begins with the first of them.
  const tester = await card('Test a version')
  const targets = tester.getByLabelText<HTMLSelectElement>('Of')
  expect(targets.value).toBe('package 3')
  expect([...targets.options].map(({ text }) => text)).toHaveLength(6)
})

test('the version test says that it cannot tell, and shows a disagreement as one', async () => {
  const verdict = {
    source: 'nvd',
    confidence: 'likely',
    fixed_in: null,
    first_unlisted: null,
    reason: null,
    range: null,
  }
  const answers: Record<string, object> = {
    trunk: { ...verdict, status: 'unknown', is_disputed: false, by: [] },
    '2.15.0': {
      ...verdict,
      source: 'summary',
      status: 'affected',
      range: 'through 2.15.0',
      is_disputed: true,
      by: [
        { ...verdict, source: 'summary', status: 'affected' },
        { ...verdict, status: 'not_affected', first_unlisted: '2.16.0', reason: 'The record ends its range here.' },
      ],
    },
  }
  openAtVuln(page, {
    'GET /api/vulns/12/': () => ({
      body: aVulnDetail({
        affected_items: [anItem({}), anItem({ via: 'package', id: 4, vendor: 'conan', name: 'zlib' })],
      }),
    }),
    'GET /api/vulns/12/affected': ({ query }) => ({ body: answers[query.get('version') ?? ''] }),
  })
  const tester = await card('Test a version')
  const ask = (version: string) => {
    fireEvent.change(tester.getByLabelText('Version'), { target: { value: version } })
    fireEvent.submit(tester.getByLabelText('Version'))
  }
  ask('trunk')
  expect(await tester.findByText(/no source says anything of it/)).toBeTruthy()
  expect(tester.queryByText('Sources disagree')).toBeNull()
  ask('2.15.0')
  expect(await tester.findByText('Sources disagree')).toBeTruthy()
  expect(tester.getByText(/Its summary: through 2.15.0/)).toBeTruthy()
  expect(tester.getByText('NVD: not affected, first not listed: 2.16.0. The record ends its range here.')).toBeTruthy()
  fireEvent.change(tester.getByLabelText('Of'), { target: { value: 'package 4' } })
  ask('trunk')
  expect(await tester.findByText(/cannot tell, as Conan packages have an order .* does not know/)).toBeTruthy()
})

test('each weakness stands with its own name, as far as CWE has one', async () => {
  openVuln({
    cwe_ids: ['CWE-9999', 'CWE-79'],
    cwe_name: 'Cross-site Scripting',
    cwe_names: { 'CWE-79': 'Cross-site Scripting' },
  })
  const weaknesses = (await card('Weakness')).getAllByRole('listitem')
  expect(weaknesses.map(({ textContent }) => textContent)).toEqual(['CWE-9999', 'CWE-79Cross-site Scripting'])
})

test('techniques that follow from a weakness are labelled so and folded; T1190 stands by its access', async () => {
  const url = 'https://attack.mitre.org/techniques/T1190'
  openVuln({
    attack_techniques: [
      { external_id: 'T1190', url, description: 'Exploit Public-Facing Application', reason: 'exposure' },
      { external_id: 'T1574', url, description: 'Hijack Execution Flow', reason: 'weakness' },
    ],
  })
  const techniques = await card('ATT&CK techniques')
  expect(techniques.getByText('T1190').closest('details')).toBeNull()
  const folded = techniques.getByText('1 technique that follows from its CWE alone').closest('details')
  expect(folded?.open).toBe(false)
  expect(folded?.contains(techniques.getByText('T1574'))).toBe(true)
})

test('an inventory that is not compared yet is no “No”, although a safe version of the package is watched', async () => {
  const version = { version: '99.0', source: 'ghsa', statement: null, fixed_in: null, first_unlisted: null }
  const safe = { ...version, verdict: 'not_affected' as const, support: null }
  openVuln({
    runs: [{ via: 'package', id: 4, name: 'log4j-core', vendor: 'maven', versions: [safe] }],
    uncompared: [{ via: 'inventory', id: 1, name: 'shop', vendor: null, is_pending: true }],
  })
  const strip = await card('Decision')
  expect(strip.getByText('Do you run it?').nextSibling?.textContent).toBe('Cannot tellinventory shop: not compared yet')
  const reasons = await card('Why it concerns you')
  const said = 'Your inventory shop contains a version that is not compared yet.'
  expect(reasons.getByText('shop').closest('li')?.textContent).toBe(said)
})
