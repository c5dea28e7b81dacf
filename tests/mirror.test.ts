import { gzipSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import { mirrorOfTest } from './support/mirror.ts'

const { put, get, readFeed } = mirrorOfTest()
const record = (id: string, lastModified: string) => ({ cve: { id, lastModified, vulnStatus: 'Analyzed' } })
const feed = (...vulnerabilities: unknown[]) => JSON.stringify({ format: 'NVD_CVE', vulnerabilities })

async function askApi(query: Record<string, string | number>) {
  const reply = await get(
    `/nvd/rest/json/cves/2.0?${new URLSearchParams(Object.entries(query).map(([a, b]) => [a, `${b}`]))}`,
  )
  return { status: reply.status, message: reply.headers.get('message'), page: await reply.json() }
}
const listIds = ({ vulnerabilities }: { vulnerabilities: { cve: { id: string } }[] }) =>
  vulnerabilities.map(({ cve }) => cve.id)

test('a year file that nothing adds to is served byte for byte', async () => {
  const file = gzipSync(feed(record('CVE-2020-0001', '2020-02-01T00:00:00.000')))
  put('nvd/2.0/nvdcve-2.0-2020.json.gz', file)
  put('nvd/2.0/nvdcve-2.0-modified.json', feed(record('CVE-2021-0001', '2021-02-01T00:00:00.000')))
  const reply = await get('/nvd/feeds/nvdcve-2.0-2020.json.gz')
  expect(Buffer.from(await reply.arrayBuffer()).equals(file)).toBe(true)
})

test('a year is composed of every file that knows it, and the newest record of a CVE wins', async () => {
  put(
    'nvd/2.0/nvdcve-2.0-2020.json',
    feed(record('CVE-2020-10000', '2020-02-01T00:00:00.000'), record('CVE-2020-0002', '2024-01-01T00:00:00.000')),
  )
  put(
    'nvd/2.0/nvdcve-2.0-modified.json',
    feed(record('CVE-2020-9999', '2021-02-01T00:00:00.000'), record('CVE-2020-10000', '2021-02-01T00:00:00.000')),
  )
  put('nvd/2.0/starter.json.gz', gzipSync(feed(record('CVE-2020-0002', '2023-12-31T00:00:00.000'))))
  const { totalResults, vulnerabilities, timestamp } = await readFeed(2020)
  expect(totalResults).toBe(3)
  expect(timestamp).toBe('2024-01-01T00:00:00.000')
  expect(vulnerabilities.map(({ cve }) => [cve.id, cve.lastModified.slice(0, 4)])).toEqual([
    ['CVE-2020-0002', '2024'],
    ['CVE-2020-9999', '2021'],
    ['CVE-2020-10000', '2021'],
  ])
})

test('CVEs of 1999 to 2001 are in the feed of 2002', async () => {
  put(
    'nvd/2.0/starter.json',
    feed(record('CVE-1999-0001', '2020-02-01T00:00:00.000'), record('CVE-2002-0001', '2020-02-01T00:00:00.000')),
  )
  expect(listIds(await readFeed(2002))).toEqual(['CVE-1999-0001', 'CVE-2002-0001'])
})

test('a year without records is an empty feed, and a year outside the archive is missing', async () => {
  expect(await readFeed(2010)).toMatchObject({ totalResults: 0, vulnerabilities: [], version: '2.0' })
  for (const year of [2001, new Date().getUTCFullYear() + 1])
    expect((await get(`/nvd/feeds/nvdcve-2.0-${year}.json.gz`)).status).toBe(404)
})

test('the API answers the records changed in a window, both ends included, page by page', async () => {
  put(
    'nvd/2.0/nvdcve-2.0-2020.json',
    feed(record('CVE-2020-0003', '2024-03-01T00:00:00.000'), record('CVE-2020-0001', '2024-02-01T00:00:00.000')),
  )
  put(
    'nvd/2.0/modified.json',
    feed(record('CVE-2019-0009', '2024-02-15T12:00:00'), record('CVE-2020-0004', '2024-03-01T00:00:00.001')),
  )
  const window = { lastModStartDate: '2024-02-01T00:00:00.000Z', lastModEndDate: '2024-03-01T01:00:00.000+01:00' }
  const whole = await askApi(window)
  expect(whole.page).toMatchObject({ totalResults: 3, resultsPerPage: 3, startIndex: 0, format: 'NVD_CVE' })
  expect(listIds(whole.page)).toEqual(['CVE-2019-0009', 'CVE-2020-0001', 'CVE-2020-0003'])
  const second = await askApi({ ...window, resultsPerPage: 2, startIndex: 2 })
  expect(second.page).toMatchObject({ totalResults: 3, resultsPerPage: 1, startIndex: 2 })
  expect(listIds(second.page)).toEqual(['CVE-2020-0003'])
})

test.each([
  ['half a window', { lastModStartDate: '2024-02-01T00:00:00.000' }],
  ['121 days', { lastModStartDate: '2024-01-01T00:00:00.000', lastModEndDate: '2024-05-01T00:00:00.001' }],
  ['no date', { lastModStartDate: 'yesterday', lastModEndDate: '2024-05-01T00:00:00.000' }],
  ['too large a page', { resultsPerPage: 2001 }],
  ['a negative start', { startIndex: -1 }],
])('the API refuses %s as NVD does', async (_, query) => {
  expect(await askApi(query)).toMatchObject({ status: 404, message: expect.stringMatching(/\w+/) })
})

test('a delta that arrives while the mirror runs shows in the API and not in the feed files', async () => {
  put('nvd/2.0/starter.json', feed(record('CVE-2020-0001', '2024-02-01T00:00:00.000')))
  expect((await askApi({})).page.totalResults).toBe(1)
  put(
    'nvd/delta/first.json',
    feed(record('CVE-2020-0001', '2024-02-02T00:00:00.000'), record('CVE-2020-0002', '2024-02-02T00:00:00.000')),
  )
  const { page } = await askApi({})
  expect(page.vulnerabilities).toMatchObject([
    { cve: { id: 'CVE-2020-0001', lastModified: '2024-02-02T00:00:00.000' } },
    { cve: { id: 'CVE-2020-0002' } },
  ])
  expect(listIds(await readFeed(2020))).toEqual(['CVE-2020-0001'])
})

test('a file that has not changed is not sent again', async () => {
  put('cisa-kev/known_exploited_vulnerabilities.json', '{"vulnerabilities":[]}')
  const first = await get('/kev.json')
  expect(await first.json()).toEqual({ vulnerabilities: [] })
  const headers = { 'if-none-match': first.headers.get('etag') ?? '' }
  expect((await get('/kev.json', { headers })).status).toBe(304)
  put('cisa-kev/known_exploited_vulnerabilities.json', '{"vulnerabilities":[{}]}')
  expect((await get('/kev.json', { headers })).status).toBe(200)
})

test('a file that the folder lacks is missing', async () => {
  for (const path of ['/kev.json', '/epss/epss_scores-current.csv.gz', '/', '/../etc/passwd']) {
    const reply = await get(path)
    expect([reply.status, await reply.json()]).toEqual([404, { message: expect.any(String) }])
  }
})

test('a file that is no feed is a failure that names it', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue()
  put('nvd/delta/broken.json', '{"vulnerabilities":')
  expect(await askApi({})).toMatchObject({ status: 500, message: expect.stringContaining('broken.json') })
  expect(log).toHaveBeenCalledOnce()
  log.mockRestore()
})

test('a hub of VEX gives its own files, and says plainly what it lacks', async () => {
  put('vexhub/index.json', '{"packages":[]}')
  put('secret.txt', 'not of the hub')
  expect(await (await get('/vexhub/index.json')).json()).toEqual({ packages: [] })
  for (const file of ['pkg/npm/none/vex.json', '..%2fsecret.txt', 'pkg/..%2f..%2fsecret.txt']) {
    const reply = await get(`/vexhub/${file}`)
    expect([reply.status, reply.headers.get('message')]).toEqual([404, null])
  }
})
