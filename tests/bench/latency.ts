import type { Client } from '../support/product.ts'

const rounds = 150
const warmUp = 20

/** Each route beside the one that only asks the database for a row, request by request in turn. */
export async function measureLatency(url: string, client: Client): Promise<[string, string][]> {
  const product = await client.get<{ results: { id: number }[] }>('/api/kb/products/?search=firefox')
  await client.post('/api/monitor/product/toggle', { product_id: product.results[0]?.id, monitored: true })
  const vuln = await client.get<{ results: { id: number }[] }>('/api/vulns/?sorted_by=-score')
  const routes: Record<string, string> = {
    'list page': '/api/vulns/?limit=20',
    'list page by score': '/api/vulns/?limit=20&sorted_by=-score',
    'list page, monitored': '/api/vulns/?limit=20&monitored=true',
    detail: `/api/vulns/${vuln.results[0]?.id}/`,
    history: `/api/vulns/${vuln.results[0]?.id}/history`,
    'search, CVE id': '/api/vulns/?search=CVE-2014-0160',
    'search, one word': '/api/vulns/?search=openssl',
    'search, three words': '/api/vulns/?search=heap overflow firefox',
    'home, statistics': '/api/vulns/stats',
    'home, latest': '/api/vulns/latest',
    products: '/api/kb/products/?limit=20',
    'products, search': '/api/kb/products/?limit=30&search=openss',
    alerts: '/api/alerts/',
    'current user': '/users/api/current',
    feeds: '/api/data/sync/info',
  }
  const lines: [string, string][] = []
  for (const [name, path] of Object.entries(routes)) {
    const [base, ours]: [number[], number[]] = [[], []]
    let cost = ''
    for (let round = 0; round < rounds + warmUp; round++) {
      const [b, o] = [await time(`${url}/readyz`, {}), await time(url + path, { authorization: client.authorization })]
      cost = o.cost
      if (round < warmUp) continue
      base.push(b.ms)
      ours.push(o.ms)
    }
    const [p50, p99] = [quantile(ours, 0.5) / quantile(base, 0.5), quantile(ours, 0.99) / quantile(base, 0.99)]
    const figure = `p50 ${quantile(ours, 0.5).toFixed(1)} ms = ${p50.toFixed(2)}x, p99 ${quantile(ours, 0.99).toFixed(1)} ms = ${p99.toFixed(2)}x`
    lines.push([`(c) ${name} against one row (p50 at most 3x)`, `${figure}; (d) ${cost}`])
  }
  return lines
}

async function time(url: string, headers: Record<string, string>) {
  const from = performance.now()
  const response = await fetch(url, { headers })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  const ms = performance.now() - from
  return { ms, cost: /desc="([^"]+)"/.exec(response.headers.get('server-timing') ?? '')?.[1] ?? '' }
}

function quantile(values: number[], at: number) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? Number.NaN
}
