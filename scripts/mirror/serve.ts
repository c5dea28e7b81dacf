import { existsSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Missing, sendFile } from './answer.ts'
import { exploitMirror } from './exploits.ts'
import { csafMirror } from './csaf.ts'
import { cveMirror } from './cve-list.ts'
import { nvdMirror } from './nvd-api.ts'
import { overrideMirror } from './overrides.ts'
import { ghsaMirror } from './packages-ghsa.ts'
import { osvMirror } from './packages-osv.ts'
import { redhatMirror } from './redhat.ts'
import type { MirrorCall, MirrorRoute } from './route.ts'
import { taxonomyMirror } from './taxonomy.ts'

const oneFile = (pattern: RegExp, file: string, type: string): MirrorRoute => ({
  pattern,
  answer: ({ folder, request, response }) => sendMirrored({ folder, request, response }, file, type),
})

const routes: MirrorRoute[] = [
  ...nvdMirror,
  ...cveMirror,
  ...taxonomyMirror,
  ...csafMirror,
  ...exploitMirror,
  ...osvMirror,
  ...ghsaMirror,
  ...redhatMirror,
  ...overrideMirror,
  {
    pattern: /^\/vexhub\/((?:[^/]+\/)*[^/]+)$/,
    answer: ({ match, ...exchange }) => {
      const file = join('vexhub', decodeURIComponent(match[1] ?? ''))
      // The hub lists documents that are not there; its host says so without a reason.
      if (!file.startsWith('vexhub/') || !existsSync(join(exchange.folder, file)))
        return exchange.response.writeHead(404).end()
      return sendMirrored(exchange, file, 'application/json')
    },
  },
  oneFile(/^\/eukev\.json$/, 'eukev/eukev.json', 'application/json'),
  oneFile(/^\/kev\.json$/, 'cisa-kev/known_exploited_vulnerabilities.json', 'application/json'),
  oneFile(/^\/epss\/epss_scores-current\.csv\.gz$/, 'epss/epss_scores-current.csv', 'application/gzip'),
]

/** Answers one request as the origin of the feed would; `cache` is the folder for composed files. */
export async function serve(folder: string, cache: string, request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url ?? '/', 'http://mirror')
  if (request.method !== 'GET' && request.method !== 'HEAD') throw new Missing('Only GET and HEAD are served')

  for (const { pattern, answer } of routes) {
    const match = pattern.exec(url.pathname)
    if (match) return answer({ folder, cache, url, match, request, response })
  }
  throw new Missing(`This mirror has no ${url.pathname}`)
}

/** Sends a file of the folder, packed as its origin packs it: `.csv` and `.csv.gz` both answer for a `.csv.gz`. */
function sendMirrored(exchange: Pick<MirrorCall, 'folder' | 'request' | 'response'>, file: string, type: string) {
  const path = join(exchange.folder, file)
  const gzip = type === 'application/gzip'
  if (gzip && existsSync(`${path}.gz`))
    return sendFile(exchange.request, exchange.response, { path: `${path}.gz`, type })
  if (!existsSync(path)) throw new Missing(`This mirror has no ${file}`)
  return sendFile(exchange.request, exchange.response, { path, type, gzip })
}
