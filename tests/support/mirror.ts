import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach } from 'vitest'
import { startMirror, type Mirror } from '../../scripts/mirror.ts'

type NvdFeed = {
  totalResults: number
  timestamp: string
  vulnerabilities: { cve: { id: string; vulnStatus?: string; lastModified: string } }[]
}

/** Gives each test of a file a mirror with a folder of its own. */
export function mirrorOfTest() {
  let folder: string
  let mirror: Mirror
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mirror-test-'))
    mirror = await startMirror({ folder })
  })
  afterEach(async () => {
    await mirror.close()
    rmSync(folder, { recursive: true })
  })
  const pathTo = (path: string) => join(folder, path)
  const get = (path: string, init?: RequestInit) => fetch(mirror.url + path, init)
  return {
    url: () => mirror.url,
    pathTo,
    put: (path: string, content: string | Uint8Array) => {
      mkdirSync(dirname(pathTo(path)), { recursive: true })
      writeFileSync(pathTo(path), content)
    },
    get,
    /** The year file of NVD. */
    readFeed: async (year: number) => {
      const reply = await get(`/nvd/feeds/nvdcve-2.0-${year}.json.gz`)
      return JSON.parse(gunzipSync(Buffer.from(await reply.arrayBuffer())).toString()) as NvdFeed
    },
  }
}
