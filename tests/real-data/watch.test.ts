import { copyFileSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signInByApi, startProduct, untilFeeds, type ApiClient, type Product } from '../support/product.ts'
import { realFeeds } from '../support/real-data.ts'

// The built product reads what the publishers published: malice, deadlines, Europe, ends of life.
const from = (path: string) => fileURLToPath(new URL(path, realFeeds))
const folder = mkdtempSync(join(tmpdir(), 'earshot-mirror-'))
const sample = ['cve5', 'cisa-kev']
const whole = ['malicious', 'eukev', 'endoflife', 'vexhub']
const publishEpss = (day: string) =>
  copyFileSync(from(`sample/epss/epss_scores-${day}.csv.gz`), join(folder, 'epss/epss_scores-current.csv.gz'))

let product: Product
let client: ApiClient
const put = (path: string, body: object) =>
  fetch(product.url + path, {
    method: 'PUT',
    headers: { authorization: client.authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const find = async (query: { q: string } | { search: string }) =>
  (await client.get<{ results: { id: number; known_as: string }[] }>(`/api/vulns/?${new URLSearchParams(query)}`))
    .results

beforeAll(async () => {
  for (const name of sample) symlinkSync(from(`sample/${name}`), join(folder, name))
  for (const name of whole) symlinkSync(from(name), join(folder, name))
  mkdirSync(join(folder, 'epss'))
  publishEpss('2025-08-30')
  product = await startProduct({ feeds: folder })
  await untilFeeds(product.url, (all) =>
    ['cve', 'kev', 'epss', ...whole].every((id) => Boolean(all.get(id)?.last_success)),
  )
  client = await signInByApi(product.url)
  const purls = [
    'pkg:npm/%40ctrl/tinycolor@4.1.1',
    'pkg:npm/%40ctrl/tinycolor@3.4.0',
    'pkg:npm/chalk@5.3.0',
    'pkg:deb/debian/bash@5.2?distro=debian-12.5',
    'pkg:golang/github.com/aquasecurity/trivy@v0.50.0',
  ]
  const components = purls.map((purl) => ({ type: 'library', name: purl, purl }))
  await put('/api/inventories/shop', { bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, components })
})
afterAll(() => product?.kill())

test('an SBOM with a package of Shai-Hulud has its malicious version for sure, others likely, and a clean one not', async () => {
  type Found = { cveid: string; purl: string; confidence: string; score: number }
  const { results } = await client.get<{ results: Found[] }>('/api/inventories/shop/findings?status=all')
  const found = results.map(({ cveid, purl, confidence, score }) => [cveid, purl, confidence, score])
  expect(found.toSorted()).toEqual([
    ['MAL-2025-47141', 'pkg:npm/%40ctrl/tinycolor@3.4.0', 'likely', 100],
    ['MAL-2025-47141', 'pkg:npm/%40ctrl/tinycolor@4.1.1', 'confirmed', 100],
  ])
})

test('CVE-2026-12569 is called exploited by the EU alone, and found by its European id', async () => {
  const [named, ...others] = await find({ search: 'EUVD-2026-37831' })
  expect([named?.known_as, others]).toEqual(['CVE-2026-12569', []])
  expect((await find({ q: 'exploited by:eu -kev' })).map(({ id }) => id)).toContain(named?.id)
  expect((await find({ q: 'exploited by:cisa' })).map(({ id }) => id)).not.toContain(named?.id)
  const { exploited_by } = await client.get<{ exploited_by: object[] }>(`/api/vulns/${named?.id}/`)
  expect(exploited_by).toMatchObject([{ by: 'eu', exploited: true, added: '2026-08-16', withdrawn: null }])
})

test('Debian 12 has the phases of its own dates, and a successor', async () => {
  type Distribution = { release: { name: string; state: string; until: string; fixes_until: string } }
  const { distributions } = await client.get<{ distributions: Distribution[] }>('/api/inventories/shop/support')
  const today = new Date().toISOString().slice(0, 10)
  const isExtended = today > '2026-07-11'
  expect(distributions).toMatchObject([
    {
      product: { label: 'Debian' },
      release: {
        name: '12',
        state: today > '2028-06-30' ? 'ended' : isExtended ? 'extended' : 'supported',
        fixes_until: '2026-07-11',
      },
      next: { name: '13' },
      packages: 1,
    },
  ])
})

test('statements of Trivy in the hub that concern nothing found are listed with their reason', async () => {
  type Listed = { applied: number; statements: { author: string; reason: string }[] }
  const { applied, statements } = await client.get<Listed>('/api/inventories/shop/vexhub')
  expect(applied).toBe(0)
  expect(statements.length).toBeGreaterThan(10)
  for (const one of statements)
    expect(one).toMatchObject({ author: 'Aqua Security', reason: 'This vulnerability was found in nothing here' })
})

test('scores of EPSS v5 after those of v4 are a mass edit of the source, and alert nobody', async () => {
  const [log4shell] = await find({ search: 'CVE-2021-44228' })
  const path = `/api/vulns/${log4shell?.id}`
  type Told = { changes: string[] }[]
  const tell = async () => (await client.get<Told>(`${path}/history`)).flatMap(({ changes }) => changes)
  type Epss = { now: number; models: { name: string }[] }
  const read = async () => {
    const { now, models } = await client.get<Epss>(`${path}/epss`)
    return [now, models.at(-1)?.name]
  }
  await client.post('/api/monitor/items', { kind: 'vuln', items: [{ id: log4shell?.id }] })
  expect(await client.get(`${path}/`)).toMatchObject({ monitored: true })
  const before = await tell()
  expect(await read()).toEqual([0.94358, 'v4'])
  publishEpss('current')
  await client.post('/api/data/sync/run?feed=epss')
  const isRewritten = (feed?: object) => feed && 'mass_edit' in feed && feed.mass_edit !== null
  const feeds = await untilFeeds(product.url, (all) => Boolean(isRewritten(all.get('epss'))), 60)
  expect(feeds.get('epss')).toMatchObject({ state: 'idle', last_error: null })
  expect(await read()).toEqual([0.99999, 'v5'])
  const told = (await tell()).filter((one) => !before.includes(one))
  expect(told).toEqual(['New model of EPSS, v5: scores before and after are not comparable', 'EPSS: 94.4% → 99.9%'])
  await product.tick()
  expect(await client.get(`/api/alerts/?vuln_id=${log4shell?.id}`)).toMatchObject({ count: 0 })
})

test('Log4Shell in what we make starts a CRA clock of three stages, with its evidence', async () => {
  const cpe = 'cpe:2.3:a:apache:log4j:2.14.1:*:*:*:*:*:*:*'
  const components = [{ type: 'library', name: 'log4j', version: '2.14.1', cpe }]
  await put('/api/inventories/gateway', { bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, components })
  await put('/api/inventories/gateway/own', { is_own_product: true })
  type Clock = { vuln_id: number; cveid: string; inventories: string[]; aware_at: string; stages: { due: string }[] }
  const findClock = async () => {
    await product.tick()
    const { results } = await client.get<{ results: Clock[] }>('/api/cra/clocks?state=open')
    return results.find(({ cveid }) => cveid === 'CVE-2021-44228')
  }
  await expect.poll(findClock, { timeout: 60_000, interval: 1_000 }).toBeDefined()
  const { vuln_id, inventories, aware_at, stages } = (await findClock()) as Clock
  expect(inventories).toEqual(['gateway'])
  const hours = stages.map(({ due }) => (Date.parse(due) - Date.parse(aware_at)) / 3_600_000)
  expect(hours.slice(0, 2)).toEqual([24, 72])
  const evidence = JSON.stringify(await client.get(`/api/cra/clocks/${vuln_id}`))
  for (const word of ['CVE-2021-44228', '2.14.1', '2021-12-10']) expect(evidence).toContain(word)
})
