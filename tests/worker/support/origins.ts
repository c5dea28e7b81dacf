import { answerBucket, type Advisory } from './osv-bucket.ts'

/** The outside world of the feeds, faked at fetch: files and pages that a test fills and changes as it goes. */
export function fakeOrigins() {
  const state = {
    /** Records of the yearly files by year, and of the API. */
    files: new Map<number, unknown[]>(),
    modified: [] as unknown[],
    kev: [] as unknown[],
    /** OSV's advisories, by ecosystem. */
    osv: new Map<string, Advisory[]>(),
    epss: { date: '2026-11-20', rows: [] } as EpssFile,
    /** Answers some URLs instead of the values above. */
    instead: null as null | ((url: URL, request: Request) => Response | null | Promise<Response | null>),
    requests: [] as URL[],
    /** A host that is not faked: real servers of a test. */
    through: '',
  }
  const real = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    const request = new Request(input as RequestInfo, init as RequestInit)
    const url = new URL(request.url)
    if (url.host === state.through) return real(input, init)
    state.requests.push(url)
    return (await state.instead?.(url, request)) ?? answer(url, state)
  }
  return Object.assign(state, {
    restore: () => {
      globalThis.fetch = real
    },
  })
}
export type Origins = ReturnType<typeof fakeOrigins>

export const originSettings = {
  NVD_URL: 'https://nvd.test/feeds',
  NVD_API_URL: 'https://nvd.test/api',
  NVD_PAUSE_SECONDS: '0',
  KEV_URL: 'https://kev.test/kev.json',
  EPSS_URL: 'https://epss.test/current.csv.gz',
}

function answer(url: URL, state: Omit<Origins, 'restore'>): Response | Promise<Response> {
  const year = /nvdcve-2\.0-(\d{4})\.json\.gz$/.exec(url.pathname)?.[1]
  if (year) return gzip(JSON.stringify(nvdPage(state.files.get(Number(year)) ?? [])))
  if (url.pathname === '/api') return nvdApi(url, state.modified)
  if (url.host === 'kev.test') return Response.json(kevCatalogue(state.kev))
  if (url.host === 'osv.test') return answerBucket(state.osv, url)
  if (url.host === 'epss.test') return gzip(epssFile(state.epss))
  return new Response('no such thing', { status: 404 })
}

export const nvdPage = (cves: unknown[], startIndex = 0, totalResults = cves.length) => ({
  resultsPerPage: cves.length,
  startIndex,
  totalResults,
  format: 'NVD_CVE',
  version: '2.0',
  timestamp: '2026-11-19T00:00:00.000',
  vulnerabilities: cves.map((cve) => ({ cve })),
})

function nvdApi(url: URL, cves: unknown[]) {
  const [from, to] = [url.searchParams.get('lastModStartDate') ?? '', url.searchParams.get('lastModEndDate') ?? '']
  const start = Number(url.searchParams.get('startIndex'))
  const within = (cves as { lastModified: string }[]).filter(({ lastModified }) => {
    const at = `${lastModified.slice(0, 19)}.000Z`
    return at >= from && at <= to
  })
  const page = within.slice(start, start + Number(url.searchParams.get('resultsPerPage')))
  return Response.json(nvdPage(page, start, within.length))
}

const kevCatalogue = (vulnerabilities: unknown[]) => ({
  title: 'Known exploited',
  catalogVersion: `2026.${vulnerabilities.length}`,
  dateReleased: '2026-11-20T00:00:00Z',
  count: vulnerabilities.length,
  vulnerabilities,
})

type EpssFile = { date: string; rows: [cveid: string, epss: number, percentile: number][]; model?: string }

const epssFile = ({ date, rows, model = 'test' }: EpssFile) =>
  [
    `#model_version:${model},score_date:${date}T00:00:00+0000`,
    'cve,epss,percentile',
    ...rows.map((row) => row.join(',')),
  ].join('\n')

export async function gzip(text: string) {
  const packed = new Response(text).body?.pipeThrough(new CompressionStream('gzip'))
  const bytes = await new Response(packed).arrayBuffer()
  return new Response(bytes, { headers: { etag: `"${bytes.byteLength}"` } })
}
