import { expect, test } from 'vitest'
import { decide, decisionLines, type Decided } from '../../worker/domain/decisions/decision'
import { decideRunning, putOwnFirst, type Running } from '../../worker/domain/decisions/running'
import { isMakersAdvisory } from '../../worker/domain/decisions/sites'
import type { RunVerdict } from '../../worker/domain/versions/verdict'

const aVuln = (patch: Partial<Decided> = {}): Decided => ({
  id: 7,
  cveid: 'CVE-2026-1000',
  aliases: [],
  title: null,
  summary: 'A flaw in Acme Widget allows remote code execution.',
  cwe_name: 'Out-of-bounds Write',
  kev: null,
  is_in_the_wild: false,
  is_exploitable: false,
  exploit_count: 0,
  references: [],
  affected: [],
  affected_packages: [],
  safe_upgrades: [],
  ...patch,
})
const aProduct = (vendor: string, product: string, fixed: string[], monitored = false) => ({
  vendor,
  product,
  fixed,
  first_unlisted: [],
  monitored,
})
const aPackage = (type: string, name: string, fixed: string[]) => ({ type, name, fixed, first_unlisted: [] })
const kev = { added: '2026-01-01', due: '2026-01-22', ransomware: false }

test('a vulnerability goes by the name that people use, else by what a catalogue calls it, else by what it is and where', () => {
  expect(decide(aVuln({ cveid: 'CVE-2021-44228', title: 'Apache Log4j2 …' })).name).toBe('Log4Shell')
  expect(decide(aVuln({ title: 'Acme Widget Code Injection' })).name).toBe('Acme Widget Code Injection')
  expect(decide(aVuln({ affected: [aProduct('acme', 'widget', [])] })).name).toBe(
    'Out-of-bounds Write in Acme · Widget',
  )
  expect(decide(aVuln()).name).toBe('CVE-2026-1000')
  expect(decide(aVuln({ cveid: null, aliases: ['GHSA-1'] })).name).toBe('GHSA-1')
})

test.each([
  [{ kev: { ...kev, ransomware: true }, exploit_count: 4 }, 'ransomware'],
  [{ kev }, 'exploited'],
  [{ is_in_the_wild: true }, 'exploited'],
  [{ exploit_count: 1 }, 'public'],
  [{ is_exploitable: true }, 'public'],
  [{}, 'none'],
] as const)('%j is told as %s', (patch, exploitation) => expect(decide(aVuln(patch)).exploitation).toBe(exploitation))

test('the fix is that of what the texts name, not of those who ship it or hold it', () => {
  const affected = [
    aProduct('cisco', 'webex_meetings', ['4.0']),
    aProduct('debian', 'debian_linux', ['11']),
    aProduct('acme', 'widget', ['1.4', '2.1']),
  ]
  const affected_packages = [{ type: 'deb', name: 'widget', fixed: ['1.4-2+deb11'], first_unlisted: [] }]
  expect(decide(aVuln({ affected, affected_packages })).fixes).toEqual([
    { name: 'Acme · Widget', versions: ['1.4', '2.1'], disputed: [], isStated: true },
  ])
})

test('a fix that another source or the summary lists as affected is told as disputed', () => {
  const affected = [
    { ...aProduct('acme', 'widget', ['1.4', '2.1']), versions: ['< 1.4', '>= 2.0, < 2.1'] },
    { ...aProduct('acme', 'widget', []), versions: ['2.1'] },
  ]
  expect(decide(aVuln({ affected })).fixes).toMatchObject([{ versions: ['1.4', '2.1'], disputed: ['2.1'] }])
  expect(decisionLines(aVuln({ affected }))[1]).toEqual({
    label: 'Fixed in',
    text: 'Acme · Widget 1.4, 2.1 (disputed)',
  })
})

test('the first version that is not listed as affected stands in where no source states a fix, and is called that', () => {
  const affected = [{ ...aProduct('acme', 'widget', []), first_unlisted: ['3.0'] }]
  expect(decide(aVuln({ affected })).fixes).toEqual([
    { name: 'Acme · Widget', versions: ['3.0'], disputed: [], isStated: false },
  ])
  expect(decisionLines(aVuln({ affected }))[1]).toEqual({
    label: 'First not listed as affected',
    text: 'Acme · Widget 3.0',
  })
})

test('the first unlisted version of what the texts name comes before a fix of whoever ships it, and behind one of its own', () => {
  const named = { ...aProduct('acme', 'widget', []), first_unlisted: ['3.0'] }
  const shipped = aPackage('rpm', 'redhat/widget', ['2.9-1.el9'])
  const own = aPackage('npm', 'widget', ['3.0.1'])
  const text = { summary: 'A flaw of the widget by acme' }
  expect(decide(aVuln({ ...text, affected: [named], affected_packages: [shipped] })).fixes).toEqual([
    { name: 'Acme · Widget', versions: ['3.0'], disputed: [], isStated: false },
  ])
  expect(decide(aVuln({ ...text, affected: [named], affected_packages: [own] })).fixes[0]).toMatchObject({
    versions: ['3.0.1'],
    disputed: [],
    isStated: true,
  })
  const core = aPackage('maven', 'org.acme:core', ['2.1', '3.0'])
  expect(decide(aVuln({ ...text, affected: [named], affected_packages: [core] })).fixes).toEqual([
    { name: 'Acme · Widget', versions: ['3.0'], disputed: [], isStated: true },
  ])
})

test('all branches that are mended are named, and the others are counted', () => {
  const branches = ['21.0.7', '21.1.5', '22.0.5', '22.1.6', '23.0.2', '23.1.1', '24.0.1', '24.1.2']
  const affected = ['one', 'two', 'three'].map((name) => aProduct('acme', name, branches))
  expect(decisionLines(aVuln({ affected: affected.slice(0, 1) }))[1]?.text).toBe(
    'Acme · One 21.0.7, 21.1.5, 22.0.5, 22.1.6, 23.0.2, 23.1.1 and 2 more',
  )
  expect(decisionLines(aVuln({ affected }))[1]?.text).toMatch(/; and 1 more$/)
})

test('a page of the maker on its security comes before the advisories of others, an address that all share does not', () => {
  const references = [
    { url: 'https://cisco.example/advisory', tags: ['vendor-advisory'] },
    { url: 'https://logging.acme.example/2.x/security.html', tags: [] },
  ]
  const affected = [aProduct('acme', 'widget', [])]
  expect(decide(aVuln({ references, affected })).link?.url).toBe('https://logging.acme.example/2.x/security.html')
  const everybodys = [{ url: 'https://github.com/acme/security', tags: [] }, ...references.slice(0, 1)]
  const github = [aProduct('github', 'widget', [])]
  expect(decide(aVuln({ references: everybodys, affected: github })).link?.url).toBe('https://cisco.example/advisory')
})

test('a campaign names no vulnerability', () => {
  const title = 'PAN-OS Command Injection Vulnerability'
  expect(decide(aVuln({ cveid: 'CVE-2024-3400', title })).name).toBe(title)
})

test('products that the organization monitors come before those that the texts name', () => {
  const affected = [aProduct('acme', 'widget', ['2.1']), aProduct('cisco', 'webex_meetings', ['4.0'], true)]
  expect(decide(aVuln({ affected })).fixes[0]?.name).toBe('Cisco · Webex Meetings')
})

test('the link is a patch before a mitigation before an advisory, that of the maker first, and never a broken one', () => {
  const references = [
    { url: 'https://a.example/gone', tags: ['Patch', 'Broken Link'] },
    { url: 'https://b.example/advisory', tags: ['Vendor Advisory'] },
    { url: 'https://c.example/mitigation', tags: ['Mitigation'] },
  ]
  expect(decide(aVuln({ references })).link).toEqual({ url: 'https://c.example/mitigation', kind: 'Mitigation' })
  const affected = [aProduct('acme', 'widget', [])]
  const own = [...references, ...['x', 'acme'].map((name) => ({ url: `https://${name}.example/fix`, tags: ['Patch'] }))]
  expect(decide(aVuln({ references: own, affected })).link?.url).toBe('https://acme.example/fix')
})

test('yes needs a version that runs, and no needs one that is not affected', () => {
  const run = (verdict: 'confirmed' | 'likely' | 'unknown' | 'not_affected') => ({
    via: 'product',
    name: 'widget',
    vendor: 'acme',
    versions: [{ version: '1.0', verdict, fixed_in: null, first_unlisted: null }],
  })
  const monitored_by = [{ via: 'product', name: 'widget', vendor: 'acme' }]
  const own = (runs: Running['runs'], by: Running['monitored_by'] = monitored_by) =>
    decideRunning({ runs, monitored_by: by, uncompared: [] })
  expect(own([run('likely'), run('confirmed')])).toEqual({ answer: 'yes', items: ['Acme · Widget 1.0'] })
  expect(own([run('likely')]).answer).toBe('likely')
  expect(own([run('unknown')])).toEqual({ answer: 'unknown', items: ['Acme · Widget 1.0'] })
  expect(own([])).toEqual({ answer: 'unknown', items: ['Acme · Widget'] })
  expect(own([], [{ via: 'inventory', name: 'shop', vendor: null }])).toEqual({
    answer: 'unknown',
    items: ['inventory shop'],
  })
  expect(own([run('not_affected')], [])).toEqual({ answer: 'no', items: ['Acme · Widget 1.0'] })
  expect(own([], [{ via: 'vuln', name: 'PH-7', vendor: null }])).toEqual({ answer: 'unlisted', items: [] })
})

test('nothing is "no" while something is not compared, and what is affected stays so', () => {
  const waits = { via: 'product', name: 'widget', vendor: 'acme', is_pending: true }
  const uncompared = [{ via: 'inventory', name: 'shop', vendor: null, is_pending: false }, waits]
  const run = (verdict: RunVerdict) => {
    const versions = [{ version: '1.0', verdict, fixed_in: null, first_unlisted: null }]
    return [{ via: 'product', name: 'widget', vendor: 'acme', versions }]
  }
  const texts = ['inventory shop: not compared', 'Acme · Widget: not compared yet']
  for (const runs of [[], run('not_affected')])
    expect(decideRunning({ runs, monitored_by: [waits], uncompared })).toEqual({ answer: 'unknown', items: texts })
  expect(decideRunning({ runs: run('likely'), monitored_by: [waits], uncompared }).answer).toBe('likely')
})

test('the lines of a mail say all of it', () => {
  const vuln = aVuln({ kev, affected: [aProduct('acme', 'widget', ['2.1'])] })
  const running = { runs: [], uncompared: [], monitored_by: [{ via: 'product', name: 'widget', vendor: 'acme' }] }
  expect(decisionLines(vuln, running).map(({ label, text }) => `${label}: ${text}`)).toEqual([
    'Exploitation: Exploited',
    'You run it: Cannot tell: Acme · Widget',
    'Fixed in: Acme · Widget 2.1',
    'Due (CISA): 2026-01-22',
  ])
  const version = { version: '7.0', verdict: 'confirmed', fixed_in: null, first_unlisted: null } as const
  const shop = (own: object) => [
    { via: 'inventory', name: 'gadget', vendor: 'shop', versions: [{ ...version, ...own }] },
  ]
  const told = (own: object) => decisionLines(vuln, { ...running, runs: shop(own) })[2]
  expect(told({})).toEqual({ label: 'Fixed in', text: 'none named for shop · gadget 7.0; Acme · Widget 2.1' })
  for (const own of [{ first_unlisted: '7.1' }, { verdict: 'unknown' }])
    expect(told(own)?.text).toBe('Acme · Widget 2.1')
})

test('the version to run stands with its reason beside a fix that has another exploited vulnerability', () => {
  const log4j = { via: 'product', vendor: 'apache', name: 'log4j' } as const
  const [other, unnamed] = [
    { id: 8, cveid: 'CVE-2021-45046' },
    { id: 9, cveid: null },
  ]
  const safe_upgrades = [
    { ...log4j, first: '2.15.0', to: '2.17.1', because: [other], still: [] },
    { ...log4j, first: '2.3.1', to: '2.3.1', because: [], still: [other, unnamed] },
  ]
  const lines = decisionLines(aVuln({ affected: [aProduct('apache', 'log4j', ['2.15.0', '2.3.1'])], safe_upgrades }))
  expect(lines.slice(1).map(({ label, text }) => `${label}: ${text}`)).toEqual([
    'Fixed in: Apache · Log4j 2.15.0, 2.3.1',
    'Upgrade to: Apache · Log4j 2.17.1 instead of 2.15.0 because of CVE-2021-45046',
    'Upgrade to: Apache · Log4j 2.3.1; still named as affected by CVE-2021-45046, PH-9',
  ])
})

test('names are told as people write them', () => {
  const affected = [aProduct('microsoft', 'windows_server_2008', ['6.1'])]
  expect(decisionLines(aVuln({ affected }))[1]?.text).toBe('Microsoft · Windows Server 2008 6.1')
  const item = { via: 'product', vendor: 'microsoft', name: 'windows_server_2008' }
  expect(decideRunning({ monitored_by: [item], uncompared: [], runs: [] }).items).toEqual([
    'Microsoft · Windows Server 2008',
  ])
})

test.each([
  ['https://logging.apache.org/log4j/2.x/security.html', ['apache', 'log4j'], true],
  ['https://www.openssh.com/txt/release-9.8', ['openbsd', 'openssh'], true],
  ['https://lists.apache.org/thread/x1', ['apache', 'log4j'], false],
  ['https://github.com/apache/security', ['apache', 'github'], false],
  ['https://notapache.org/security', ['apache'], false],
  ['not a link', ['not a link'], false],
])('%s is an advisory of %j: %s', (url, makers, is) => expect(isMakersAdvisory(url, makers)).toBe(is))

test('the fixes of the branches that run stand first', () => {
  const versions = ['2.3.1', '2.12.2', '2.15.0']
  expect(putOwnFirst(versions, [])).toEqual(versions)
  const runs = [{ versions: [{ fixed_in: null }, { fixed_in: '2.15.0' }] }]
  expect(putOwnFirst(versions, runs)).toEqual(['2.15.0', '2.3.1', '2.12.2'])
})
