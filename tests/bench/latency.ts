import { signInByApi } from '../support/product.ts'
import type { Figure } from './figures.ts'
import { findRoutes } from './routes.ts'

const rounds = 200
const warmUp = 20
/** Of the routes outside their bounds, the slowest. */
const named = 12

/**
 * Compares each route, request by request, with the one that only reads a row. Its median is compared with
 * the median of its own turns, because the machine's speed varies; its 99th percentile with that of all turns, because a few
 * pauses of the runtime decide a single one.
 */
export async function measureLatency(url: string): Promise<Figure[]> {
  const measured: { name: string; rows: number; ours: number[]; base: number[]; cost: string }[] = []
  for (const [name, { path, rows }] of Object.entries(await findRoutes(await signInByApi(url)))) {
    // All routes take longer than a token lasts.
    const { authorization } = await signInByApi(url)
    const [base, ours]: [number[], number[]] = [[], []]
    let cost = ''
    for (let round = 0; round < rounds + warmUp; round++) {
      const [b, o] = [await time(`${url}/readyz`, {}), await time(url + path, { authorization })]
      cost = o.cost
      if (round < warmUp) continue
      base.push(b.ms)
      ours.push(o.ms)
    }
    measured.push({ name, rows, ours, base, cost })
  }
  const all = measured.flatMap(({ base }) => base)
  const missed = measured
    .filter(
      ({ rows, ours, base, cost }) =>
        readRows(cost) > rows || ratio(ours, base, 0.5) > times.p50 || ratio(ours, all, 0.99) > times.p99,
    )
    .sort((one, other) => ratio(other.ours, other.base, 0.5) - ratio(one.ours, one.base, 0.5))
  for (const { name, ours, base, cost } of measured)
    console.log(`    ${name}: ${formatFigure(ours, base, all)}; ${cost}`)
  return [
    {
      what: 'a row, in all turns',
      figure: `p50 ${quantile(all, 0.5).toFixed(1)} ms, p99 ${quantile(all, 0.99).toFixed(1)} ms`,
    },
    { what: 'routes within their bounds', figure: `${measured.length - missed.length} of ${measured.length}` },
    ...missed.slice(0, named).map(({ name, rows, ours, base, cost }): Figure => ({
      what: name,
      bound: `${rows} rows, p50 ${times.p50}x, p99 ${times.p99}x`,
      figure: `${formatFigure(ours, base, all)}; ${cost}`,
    })),
  ]
}

const common = ['vulnerability', 'allows', 'remote', 'attackers', 'via', 'in', 'the', 'execute', 'arbitrary', 'code']
const rare = 'heartbleed log4j openssl struts wordpress firefox cisco kernel apache jenkins'.split(' ')
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

/** How many times as long as a row a route may take. */
const times = { p50: 3, p99: 5 }
const ratio = (ours: number[], base: number[], at: number) => quantile(ours, at) / quantile(base, at)
const readRows = (cost: string) => Number(/read=(\d+)/.exec(cost)?.[1] ?? 0)

const searchRounds = 5

/**
 * 200 different searches, including the ten commonest words. The slowest one has the highest median of its rounds:
 * other work of the machine slows the compared route, too.
 */
export async function measureSearch(url: string): Promise<Figure[]> {
  return [
    ...(await measureSearches(url, { kind: 'searches', query: 'sorted_by=relevance&count=quick', rows: 2_100 })),
    ...(await measureSearches(url, { kind: 'searches with their count', query: 'sorted_by=relevance', rows: 5_000 })),
    ...(await measureSearches(url, { kind: 'searches, newest first', query: 'count=quick', rows: 20_000 })),
  ]
}

type Searching = { kind: string; query: string; rows: number }

async function measureSearches(url: string, { kind, query, rows }: Searching): Promise<Figure[]> {
  const texts = [...common, ...rare, ...mixed, ...pairs(common, rare), ...pairs(rare, mixed)].slice(0, 200)
  const [base, ours]: [number[], number[]] = [[], []]
  const byText = new Map<string, number[]>(texts.map((text) => [text, []]))
  let mostRows = 0
  for (let round = 0; round <= searchRounds; round++) {
    const { authorization } = await signInByApi(url)
    for (const [text, waits] of byText) {
      const b = await time(`${url}/readyz`, {})
      const o = await time(`${url}/api/vulns/?limit=20&${query}&search=${encodeURIComponent(text)}`, { authorization })
      if (round === 0) continue
      base.push(b.ms)
      ours.push(o.ms)
      waits.push(o.ms)
      mostRows = Math.max(mostRows, readRows(o.cost))
    }
  }
  const [slowest] = [...byText]
    .map(([text, waits]) => ({ text, ms: quantile(waits, 0.5) }))
    .sort((one, other) => other.ms - one.ms)
  return [
    { what: `${texts.length} ${kind}`, figure: formatFigure(ours, base), bound: 'p50 3x, p99 5x' },
    { what: `slowest of the ${kind}`, figure: `${slowest?.ms.toFixed(1)} ms: ${slowest?.text}`, bound: '60 ms' },
    { what: `rows that one of the ${kind} read`, figure: String(mostRows), bound: String(rows) },
  ]
}

const pairs = (left: string[], right: string[]) => left.flatMap((a) => right.map((b) => `${a} ${b}`))

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
