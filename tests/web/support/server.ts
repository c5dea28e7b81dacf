import { vi } from 'vitest'

export type SeenRequest = {
  method: string
  path: string
  query: URLSearchParams
  body: unknown
  token: string | null
  etag: string | null
  headers: Headers
}
type Answer = { status?: number; headers?: Record<string, string>; body: unknown }
type Answers = Record<string, (requests: SeenRequest) => Answer | Promise<Answer>>

/** Sources, which every screen with sources asks for once. */
const sources = [
  ['cve', 'CVE list'],
  ['nvd', 'NVD'],
  ['osv', 'OSV'],
  ['ghsa', 'GitHub'],
  ['redhat', 'Red Hat'],
  ['kev', 'CISA KEV'],
  ['exploitdb', 'Exploit-DB', true],
  ['metasploit', 'Metasploit', true],
  ['poc', 'PoC-in-GitHub', true],
  ['nuclei', 'Nuclei', true],
].map(([id, label, lists_exploits = false]) => ({ id, label, lists_exploits }))

/** Stands in for the worker at the network: answers by `METHOD /path` and keeps the requests. */
export function fakeServer(answers: Answers) {
  const requests: SeenRequest[] = []
  const fetch = async (url: string | URL | Request, { method = 'GET', headers, body }: RequestInit = {}) => {
    const { pathname, searchParams } = new URL(String(url), 'http://localhost')
    const request = {
      method,
      path: pathname,
      query: searchParams,
      body:
        typeof body === 'string' ? (JSON.parse(body) as unknown) : body instanceof Blob ? await body.text() : undefined,
      token: new Headers(headers).get('authorization'),
      etag: new Headers(headers).get('if-none-match'),
      headers: new Headers(headers),
    }
    const call = `${method} ${pathname}`
    if (call === 'GET /api/data/sources' && !answers[call]) return Response.json({ sources })
    // The bell of each screen asks again and again.
    if (call === 'GET /api/alerts/urgent' && !answers[call]) return Response.json({ unread: 0, results: [] })
    requests.push(request)
    const answer = await answers[call]?.(request)
    const {
      status = 200,
      headers: more,
      body: reply,
    } = answer ?? { status: 404, body: { code: 'not_found', message: 'Not found' } }
    return status === 304
      ? new Response(null, { status, headers: more })
      : Response.json(reply, { status, headers: more })
  }
  vi.stubGlobal('fetch', fetch)
  return { requests, to: (path: string) => requests.filter((one) => one.path === path) }
}
