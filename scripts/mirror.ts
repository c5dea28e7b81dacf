// Serves a folder of feed files in the shape of their origins: `node scripts/mirror.ts <folder> [port]`.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sendFailure } from './mirror/answer.ts'
import { warmApi } from './mirror/nvd-api.ts'
import { serve } from './mirror/serve.ts'

export type Mirror = { url: string; close: () => Promise<void> }

/** Without a port a free one is taken; without a cache, composed files go to a temporary folder. */
export async function startMirror(options: { folder: string; port?: number; cache?: string }): Promise<Mirror> {
  const { folder, port = 0 } = options
  const cache = options.cache ?? mkdtempSync(join(tmpdir(), 'earshot-mirror-'))
  const server = createServer((request, response) => {
    serve(folder, cache, request, response).catch((error: unknown) => sendFailure(response, error))
  })
  // Otherwise we might close an idle connection just when the client uses it again.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  void warmApi(folder)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close()
      server.closeAllConnections()
      if (!options.cache) rmSync(cache, { recursive: true })
    },
  }
}

if (import.meta.main) {
  const [folder = '', port = '8788'] = process.argv.slice(2)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    console.error(`There is no folder ${folder || '(name one)'}`)
    process.exit(1)
  }
  const { url } = await startMirror({ folder, port: Number(port) })
  console.log(`Feeds of ${folder} at ${url}`)
}
