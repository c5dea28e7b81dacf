import type { ApiClient } from '../support/product.ts'

/** A path and the most rows that it may read. */
export type Route = { path: string; rows: number }

/** Bounds of rows: for default screens, words, any other single filter, odd ones, and several conditions. */
const bounds = { screen: 200, words: 2_100, filter: 5_000, odd: 20_000, several: 50_000 }

// Two merged lists and conditions that are tested on each row.
const merged = 'cvss3>=9 AND (vendor:apache OR kev) AND NOT status:fixed'

const day = (before_days: number) => new Date(Date.now() - before_days * 86_400_000).toISOString().slice(0, 10)

type Ids = { openssl: number; vendor: number; product: number; packageId: number }

/** The default lists of the screens. */
const screens = ({ vendor, product, packageId }: Ids) => ({
  all: '',
  'by score': 'sorted_by=-score',
  'last 24h': `updated_at__gte=${day(1)}`,
  monitored: 'monitored=true',
  KEV: 'kev=true',
  exploitable: 'is_exploitable=true',
  'score range': 'score__gte=60&score__lte=70',
  vendor: `vendor=${vendor}`,
  'vendor by name': 'vendor_name=apache',
  product: `product=${product}`,
  package: `package=${packageId}`,
  'CVE id': 'cveid=CVE-2021-44228',
})

const words = {
  'a common word': 'search=remote&sorted_by=relevance',
  'two words': 'search=sql+injection&sorted_by=relevance',
  'a name': 'search=openssl&sorted_by=relevance',
}

const filters = {
  'CVSS 3 of 9.8': 'cvss3=9.8',
  'EPSS to 0.001': 'epss__lte=0.001',
  'EPSS from 0.5': 'epss__gte=0.5',
  confirmed: 'is_confirmed=true',
  'in the wild': 'is_in_the_wild=true',
  'with exploits': 'exploit_count__gte=1',
  'from the network': 'access_vector=NETWORK',
  'published on a day': 'published__date=2024-05-01',
  'published since': 'published__gte=2024-01-01',
  'without a status': 'status=undefined',
  "part of a vendor's name": 'vendor_name__icontains=micro',
  'part of a summary': 'summary__icontains=remote',
  'phrase of a summary': 'summary__icontains=heap+overflow',
  'part of a CVE id': 'cveid__icontains=2021',
  'a common word, newest first': 'search=remote',
  'the commonest word, newest first': 'search=the',
}

/** Few of the newest rows may match these: a page reads more rows before it says where it stopped. */
const odd = {
  CWE: 'cwe_id=CWE-79',
  'published before': 'published__lte=2005-01-01',
  'rare in a vector': 'cvss3_vector__icontains=AV:P',
  'two metrics': 'cvss3_vector__contains=C:H/I:L',
  "part of many products' names": 'product_name__icontains=server',
  'two words, newest first': 'search=heap+overflow',
}

const q = (text: string) => `q=${encodeURIComponent(text)}`
const several = (openssl: number) => ({
  'a query': q(merged),
  'KEV and words': q('kev "remote code"'),
  'a common word in KEV': 'search=remote&kev=true&sorted_by=relevance',
  'parts of a summary and a name': 'summary__icontains=remote&vendor_name__icontains=micro&is_exploitable=true',
  'a query that nothing fits': 'kev=true&score__lte=5&summary__icontains=the',
  'not a word': q('NOT remote score>50'),
  'product and version': `product=${openssl}&product_version=1.0.1f`,
})

/** Each list as screens ask, with its exact count, and the count alone. */
function listRoutes(ids: Ids): Record<string, Route> {
  const groups = [
    { lists: screens(ids), screen: bounds.screen, whole: bounds.filter },
    { lists: words, screen: bounds.words, whole: bounds.filter },
    { lists: filters, screen: bounds.filter, whole: bounds.filter },
    { lists: odd, screen: bounds.odd, whole: bounds.odd },
    { lists: several(ids.openssl), screen: bounds.several, whole: bounds.several },
  ]
  const routes = groups.flatMap(({ lists, screen, whole }) =>
    Object.entries(lists).flatMap(([name, query]): [string, Route][] => [
      [`list, ${name}`, { path: `/api/vulns/?limit=20&count=quick&${query}`, rows: screen }],
      [`list and count, ${name}`, { path: `/api/vulns/?limit=20&${query}`, rows: whole }],
    ]),
  )
  const counts = Object.entries({ ...screens(ids), ...filters, ...odd }).map(([name, query]): [string, Route] => [
    `count, ${name}`,
    { path: `/api/vulns/count?${query.replace(/&?sorted_by=[^&]*/, '')}`, rows: bounds.odd },
  ])
  return Object.fromEntries([...routes, ...counts])
}

export async function findRoutes(client: ApiClient): Promise<Record<string, Route>> {
  const get = <Reply>(path: string) => client.get<Reply>(path)
  const first = async (path: string) => (await get<{ results: { id: number }[] }>(path)).results[0]?.id ?? 0
  const firefox = await first('/api/kb/products/?search=firefox')
  const openssl = await first('/api/kb/products/?search=openssl&vendor=openssl')
  const vendor = await first('/api/kb/vendors/?sorted_by=-vulns_count')
  const product = await first('/api/kb/products/?sorted_by=-vulns_count')
  const packageId = await first('/api/kb/packages/?search=django')
  const bulletin = await first('/api/kb/bulletins?limit=1')
  const top = await first('/api/vulns/?count=quick&sorted_by=-score')
  const log4shell = await first('/api/vulns/?count=quick&search=CVE-2021-44228')
  await client.post('/api/monitor/product/toggle', { product_id: firefox, monitored: true })
  const at = (path: string, rows = bounds.screen): Route => ({ path, rows })
  return {
    ...listRoutes({ openssl, vendor, product, packageId }),
    detail: at(`/api/vulns/${top}/`, 300),
    'detail, Log4Shell': at(`/api/vulns/${log4shell}/`, 300),
    history: at(`/api/vulns/${top}/history`),
    'home, statistics': at('/api/vulns/stats'),
    // Three lists in one.
    'home, latest': at('/api/vulns/latest', 600),
    exploits: at('/api/exploits/?limit=20'),
    vendors: at('/api/kb/vendors/?limit=20'),
    ...searches('vendors', { search: 'micro', 'one letter': 'a' }),
    'vendor details': at(`/api/kb/vendors/${vendor}/`),
    products: at('/api/kb/products/?limit=20'),
    ...searches('products', { search: 'openss', 'one letter': 's', 'part of many': 'server' }),
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

/** Each search as screens ask, and with its exact count. */
function searches(kind: 'vendors' | 'products', texts: Record<string, string>) {
  const routes = Object.entries(texts).flatMap(([name, text]): [string, Route][] => {
    const path = `/api/kb/${kind}/?limit=20&search=${text}`
    return [
      [`${kind}, ${name}`, { path: `${path}&count=quick`, rows: bounds.words }],
      [`${kind} and count, ${name}`, { path, rows: bounds.words }],
    ]
  })
  return Object.fromEntries(routes)
}
