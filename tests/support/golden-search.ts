import { readFileSync } from 'node:fs'
import { canBeAwaited, isAdvisoryId, readCveId } from '../../worker/domain/names/cve'
import { isName, parseAskedVersion } from '../../worker/domain/query/asked-version'
import type { ApiClient } from './product'

/** An analyst's search, and results that must be among the first five: a CVE, `vendor:product`, `type:package`, or `unknown` for an id. */
type GoldenSearch = { query: string; expected: string[] }

export const goldenSearches = JSON.parse(
  readFileSync(new URL('../golden/search.json', import.meta.url), 'utf8'),
) as GoldenSearch[]

type Named = { vendor: string; type: string; name: string }
type Hits = { results: { cveid: string }[] }

const ask = (path: string, params: Record<string, string>) => `${path}?${new URLSearchParams(params)}`
const shown = 5

/** First results on the page of a search: the one thing that a text names, else versions and products, then vulnerabilities. */
async function readFirst(client: ApiClient, term: string): Promise<string[]> {
  const target = isName(term)
    ? await client.get<{ type: string; id: number } | null>(ask('/api/search-target', { term }))
    : null
  if (target?.type === 'vuln') return [(await client.get<{ cveid: string }>(`/api/vulns/${target.id}/`)).cveid]
  if (target) {
    const path = target.type === 'product' ? `/api/kb/products/${target.id}/` : `/api/kb/packages/${target.id}/`
    const { vendor, type, name } = await client.get<Named>(path)
    return [`${vendor ?? type}:${name}`]
  }
  const answers = await client.get<{ group: string; name: string }[]>(ask('/api/search-version', { term }))
  const name = term.trim().toLowerCase().replaceAll(/\s+/g, '_')
  const named = await client.get<{ results: Named[] }>(
    ask('/api/kb/products/', { name, limit: '3', sorted_by: '-vulns_count' }),
  )
  const words = answers.length ? (parseAskedVersion(term)?.name ?? term) : term
  const found = await findHits(client, { search: words })
  const isUnknown = !found.length && (readCveId(term) !== null || isAdvisoryId(term))
  const meant =
    found.length || isUnknown
      ? null
      : await client.get<{ search: string; q: string } | null>(ask('/api/search-corrected', { search: words }))
  return [
    ...answers.map((one) => `${one.group}:${one.name}`),
    ...named.results.map((one) => `${one.vendor}:${one.name}`),
    ...(meant ? await findHits(client, meant) : found),
    ...(isUnknown ? [canBeAwaited(term) ? 'awaitable' : 'unknown'] : []),
  ]
}

async function findHits(client: ApiClient, given: { search: string; q?: string }) {
  const { results } = await client.get<Hits>(
    ask('/api/vulns/', { ...given, sorted_by: 'relevance', limit: String(shown), count: 'quick' }),
  )
  return results.map(({ cveid }) => cveid)
}

const atOnce = 8

/** The searches whose first five hold nothing of what was expected, with what they hold instead. */
export async function findMissed(client: ApiClient, searches: GoldenSearch[]) {
  const missed: string[] = []
  for (let at = 0; at < searches.length; at += atOnce)
    await Promise.all(
      searches.slice(at, at + atOnce).map(async ({ query, expected }) => {
        const first = await readFirst(client, query)
        if (!expected.some((one) => first.includes(one))) missed.push(`${query}: ${first.join(' ') || 'nothing'}`)
      }),
    )
  return missed
}
