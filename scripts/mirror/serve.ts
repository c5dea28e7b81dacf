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
import type { MirrorRoute } from './route.ts'
import { singleFiles } from './single-files.ts'

const routes: MirrorRoute[] = [
  ...nvdMirror,
  ...cveMirror,
  ...singleFiles,
  ...csafMirror,
  ...exploitMirror,
  ...osvMirror,
  ...ghsaMirror,
  ...redhatMirror,
  ...overrideMirror,
  {
    pattern: /^\/vexhub\/((?:[^/]+\/)*[^/]+)$/,
    answer: ({ folder, match, request, response }) => {
      const file = join('vexhub', decodeURIComponent(match[1] ?? ''))
      const path = join(folder, file)
      // The hub lists documents that are not there; its host says so without a reason.
      if (!file.startsWith('vexhub/') || !existsSync(path)) return response.writeHead(404).end()
      return sendFile(request, response, { path, type: 'application/json' })
    },
  },
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
