import { signIn } from '../support/product.ts'
import type { Client } from '../support/product.ts'

const rounds = 300
const warmUp = 20

type Route = { path: string; rows: number }
export type Line = [name: string, figure: string]

/**
 * Each route beside the one that only asks the database for a row, request by request in turn. Its median stands beside
 * that of its own turns, as a machine gets slower and faster; its 99th percentile beside that of all turns, as a few
 * pauses of the runtime decide that of some.
 */
export async function measureLatency(url: string): Promise<Line[]> {
  const measured: { name: string; ours: number[]; base: number[]; cost: string }[] = []
  for (const [name, { path, rows }] of Object.entries(await findRoutes(await signIn(url)))) {
    // All routes take longer than a token lasts.
    const { authorization } = await signIn(url)
    const [base, ours]: [number[], number[]] = [[], []]
    let cost = ''
    for (let round = 0; round < rounds + warmUp; round++) {
      const [b, o] = [await time(`${url}/readyz`, {}), await time(url + path, { authorization })]
      cost = o.cost
      if (round < warmUp) continue
      base.push(b.ms)
      ours.push(o.ms)
    }
    measured.push({ name, ours, base, cost: `${cost} (at most ${rows})` })
  }
  const all = measured.flatMap(({ base }) => base)
  return [
    ['a row, in all turns', `p50 ${quantile(all, 0.5).toFixed(1)} ms, p99 ${quantile(all, 0.99).toFixed(1)} ms`],
    ...measured.map(({ name, ours, base, cost }): Line => [name, `${formatFigure(ours, base, all)}; ${cost}`]),
  ]
}

/** Routes with what they may read at most: a list, or what is set; what looks for a part of a text is a search. */
// Two lists that are merged, and what is asked of each row.
const asked = 'cvss3>=9 AND (vendor:apache OR kev) AND NOT status:fixed'

async function findRoutes(client: Client): Promise<Record<string, Route>> {
  const get = <Reply>(path: string) => client.get<Reply>(path)
  const first = async (path: string) => (await get<{ results: { id: number }[] }>(path)).results[0]?.id ?? 0
  const firefox = await first('/api/kb/products/?search=firefox')
  const openssl = await first('/api/kb/products/?search=openssl&vendor=openssl')
  const vendor = await first('/api/kb/vendors/?sorted_by=-vulns_count')
  const product = await first('/api/kb/products/?sorted_by=-vulns_count')
  const packageId = await first('/api/kb/packages/?search=django')
  const bulletin = await first('/api/kb/bulletins?limit=1')
  const top = await first('/api/vulns/?sorted_by=-score')
  const log4shell = await first('/api/vulns/?search=CVE-2021-44228')
  await client.post('/api/monitor/product/toggle', { product_id: firefox, monitored: true })
  const list = (query: string): Route => ({ path: `/api/vulns/?limit=20&${query}`, rows: 200 })
  const at = (path: string, rows = 200): Route => ({ path, rows })
  return {
    'list page': list(''),
    'list page by score': list('sorted_by=-score'),
    'list page, monitored': list('monitored=true'),
    'list page, score range': list('score__gte=60&score__lte=70'),
    'list page, CVSS 2 from 1': list('cvss__gte=1'),
    'list page, CVSS 3 of 9.8': list('cvss3=9.8'),
    'list page, CVSS 4 below 4': list('cvss4__lt=4'),
    'list page, EPSS to 0.001': list('epss__lte=0.001'),
    'list page, confirmed': list('is_confirmed=true'),
    'list page, with exploits': list('exploit_count__gte=1'),
    'list page, from the local network': list('access_vector=ADJACENT_NETWORK'),
    'list page, hard to reach': list('access_complexity=HIGH'),
    'list page, all is lost': list('impact_confidentiality=COMPLETE'),
    'list page, published on a day': list('published__date=2024-05-01'),
    'list page, published before': list('published__lte=2005-01-01'),
    'list page, updated since': list('updated_at__gte=2024-01-01'),
    'list page, without a status': list('status=undefined'),
    'list page, vendor by name': list('vendor_name=apache'),
    'list page, vector': list('cvss3_vector__icontains=PR:N'),
    'list page, rare in a vector': list('cvss3_vector__icontains=AV:P'),
    'list page, whole vector': list('cvss3_vector=CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'),
    'list page, two metrics': at('/api/vulns/?limit=20&cvss3_vector__contains=C:H/I:L', 2_100),
    'list page, a query': at(`/api/vulns/?limit=20&q=${encodeURIComponent(asked)}`, 5_000),
    'list page, part of a name': { path: '/api/vulns/?limit=20&vendor_name__icontains=micro', rows: 2_100 },
    'list page, summary': { path: '/api/vulns/?limit=20&summary__icontains=remote', rows: 2_100 },
    'count of a score range': at('/api/vulns/count?score__gte=60&score__lte=70', 25_000),
    'count of a CWE': at('/api/vulns/count?cwe_id=CWE-79', 25_000),
    'list page, exploitable': list('is_exploitable=true'),
    'list page, KEV': list('kev=true'),
    'list page, in the news': list('is_in_the_news=true'),
    'list page, CVSS 3 from 9': list('cvss3__gte=9'),
    'list page, EPSS from 0.5': list('epss__gte=0.5'),
    'list page, CWE': list('cwe_id=CWE-79'),
    'list page, published since': list('published__gte=2024-01-01'),
    'list page, vendor': list(`vendor=${vendor}`),
    'list page, product': list(`product=${product}`),
    'list page, package': list(`package=${packageId}`),
    'list page, product and version': {
      path: `/api/vulns/?limit=20&product=${openssl}&product_version=1.0.1f`,
      rows: 2_000,
    },
    detail: at(`/api/vulns/${top}/`, 300),
    'detail, Log4Shell': at(`/api/vulns/${log4shell}/`, 300),
    history: at(`/api/vulns/${top}/history`),
    'home, statistics': at('/api/vulns/stats'),
    // Three lists in one.
    'home, latest': at('/api/vulns/latest', 600),
    exploits: at('/api/exploits/?limit=20'),
    vendors: at('/api/kb/vendors/?limit=20'),
    'vendors by vulnerabilities': at('/api/kb/vendors/?limit=20&sorted_by=-vulns_count'),
    'vendors, search': at('/api/kb/vendors/?limit=20&search=micro'),
    'vendors, one letter': at('/api/kb/vendors/?limit=20&search=a', 2_100),
    'vendor details': at(`/api/kb/vendors/${vendor}/`),
    products: at('/api/kb/products/?limit=20'),
    'products, search': at('/api/kb/products/?limit=30&search=openss'),
    'products, part of many': at('/api/kb/products/?limit=20&search=server', 2_100),
    'product details': at(`/api/kb/detailed-products/${openssl}/`),
    'product timeline': at(`/api/kb/detailed-products/${openssl}/timeline`),
    packages: at('/api/kb/packages/?limit=20'),
    'package details': at(`/api/kb/packages/${packageId}/`),
    'CVE list': at('/api/kb/cve?limit=20'),
    bulletins: at('/api/kb/bulletins?limit=20'),
    'bulletin details': at(`/api/kb/bulletins/${bulletin}`),
    alerts: at('/api/alerts/'),
    'current user': at('/users/api/current'),
    feeds: at('/api/data/sync/info', 2_500),
  }
}

const common = ['vulnerability', 'allows', 'remote', 'attackers', 'via', 'in', 'the', 'execute', 'arbitrary', 'code']
const rare = [
  'heartbleed',
  'log4j',
  'openssl',
  'struts',
  'wordpress',
  'firefox',
  'cisco',
  'kernel',
  'apache',
  'jenkins',
]
const mixed = [
  'sql injection',
  'heap overflow',
  'use after free',
  'cross site scripting wordpress',
  'buffer overflow in',
  'remote code execution apache',
  'denial of service linux kernel',
  'information disclosure',
  'CVE-2021-44228',
  'CVE-2014-0160',
]

/** One route beside the one that reads a row, request by request in turn. */
export async function compareRoute(url: string, path: string) {
  const { authorization } = await signIn(url)
  const [base, ours]: [number[], number[]] = [[], []]
  let cost = ''
  for (let round = 0; round < rounds + warmUp; round++) {
    const [b, o] = [await time(`${url}/readyz`, {}), await time(url + path, { authorization })]
    cost = o.cost
    if (round < warmUp) continue
    base.push(b.ms)
    ours.push(o.ms)
  }
  return `${formatFigure(ours, base)}; ${cost}`
}

const searchRounds = 5

/**
 * 200 different searches, the ten commonest words among them. The slowest is so by the median of its rounds: what the
 * machine does beside now and then meets the route that it is compared with, too.
 */
export async function measureSearch(url: string): Promise<Line[]> {
  const texts = [...common, ...rare, ...mixed, ...pairs(common, rare), ...pairs(rare, mixed)].slice(0, 200)
  const [base, ours]: [number[], number[]] = [[], []]
  const byText = new Map<string, number[]>(texts.map((text) => [text, []]))
  let mostRows = 0
  for (let round = 0; round <= searchRounds; round++) {
    const { authorization } = await signIn(url)
    for (const [text, waits] of byText) {
      const b = await time(`${url}/readyz`, {})
      const o = await time(`${url}/api/vulns/?limit=20&search=${encodeURIComponent(text)}`, { authorization })
      if (round === 0) continue
      base.push(b.ms)
      ours.push(o.ms)
      waits.push(o.ms)
      mostRows = Math.max(mostRows, Number(/read=(\d+)/.exec(o.cost)?.[1] ?? 0))
    }
  }
  const [slowest] = [...byText]
    .map(([text, waits]) => ({ text, ms: quantile(waits, 0.5) }))
    .sort((one, other) => other.ms - one.ms)
  return [
    [`${texts.length} searches (at most p50 3x, p99 5x)`, formatFigure(ours, base)],
    ['slowest of them (at most 60 ms)', `${slowest?.ms.toFixed(1)} ms: ${slowest?.text}`],
    ['most rows that one read (at most 2,100)', String(mostRows)],
  ]
}

const pairs = (left: string[], right: string[]) => left.flatMap((a) => right.map((b) => `${a} ${b}`))

/** How long readers wait while `until` is not done, at the 95th percentile. */
export async function measureReaders(url: string, isDone: () => boolean) {
  const waits: number[] = []
  while (!isDone()) {
    waits.push((await time(`${url}/readyz`, {})).ms)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return quantile(waits, 0.95)
}

export async function idleReaders(url: string) {
  let left = 200
  return measureReaders(url, () => left-- === 0)
}

async function time(url: string, headers: Record<string, string>) {
  const from = performance.now()
  const response = await fetch(url, { headers })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  const ms = performance.now() - from
  return { ms, cost: /desc="([^"]+)"/.exec(response.headers.get('server-timing') ?? '')?.[1] ?? '' }
}

function formatFigure(ours: number[], base: number[], all = base) {
  const part = (at: number, beside: number[]) =>
    `${quantile(ours, at).toFixed(1)} ms = ${(quantile(ours, at) / quantile(beside, at)).toFixed(2)}x`
  return `p50 ${part(0.5, base)}, p99 ${part(0.99, all)}`
}

export function quantile(values: number[], at: number) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? Number.NaN
}
