import { existsSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Missing, sendFile, sendJson, sendText } from './answer.ts'
import { answerApi } from './nvd-api.ts'
import { describeYearFile, findYearFile } from './nvd-year.ts'

/** Answers one request as the origin of the feed would; `cache` takes the files that had to be composed. */
export async function serve(folder: string, cache: string, request: IncomingMessage, response: ServerResponse) {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://mirror')
  if (request.method !== 'GET' && request.method !== 'HEAD') throw new Missing('Only GET and HEAD are served')

  const feed = /^\/nvd\/feeds\/nvdcve-2\.0-(\d{4})\.(json\.gz|meta)$/.exec(pathname)
  if (feed) {
    const path = await findYearFile(folder, cache, Number(feed[1]))
    if (feed[2] === 'meta') return sendText(response, await describeYearFile(path))
    return sendFile(request, response, { path, type: 'application/gzip' })
  }
  if (pathname === '/nvd/rest/json/cves/2.0') return sendJson(response, await answerApi(folder, searchParams))

  const file = originFile(folder, pathname)
  if (!file) throw new Missing(`This mirror has no ${pathname}`)
  return sendFile(request, response, file)
}

function originFile(folder: string, pathname: string) {
  if (pathname === '/kev.json') {
    const path = join(folder, 'cisa-kev/known_exploited_vulnerabilities.json')
    return existsSync(path) ? { path, type: 'application/json' } : undefined
  }
  if (pathname !== '/epss/epss_scores-current.csv.gz') return undefined
  const path = join(folder, 'epss/epss_scores-current.csv')
  if (existsSync(`${path}.gz`)) return { path: `${path}.gz`, type: 'application/gzip' }
  return existsSync(path) ? { path, type: 'application/gzip', gzip: true } : undefined
}
