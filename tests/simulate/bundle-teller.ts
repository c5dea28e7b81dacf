import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'vite'
import type { Plugin } from 'vite'

/** Makes one file of a story teller, or of a worker, which a process reads in a tenth of the time. */
export async function bundleTeller(root: string, outDir: string, teller = 'tests/simulate/child.ts') {
  await build({
    configFile: false,
    root,
    logLevel: 'silent',
    plugins: [asWorkers(root)],
    ssr: { noExternal: true },
    build: {
      ssr: join(root, teller),
      outDir,
      emptyOutDir: false,
      target: 'node24',
      rolldownOptions: { output: { codeSplitting: false, entryFileNames: '[name].mjs' } },
    },
  })
  return join(outDir, `${basename(teller, '.ts')}.mjs`)
}

/** What wrangler does for a Worker: compiled modules, and sockets, which no story opens. */
const asWorkers = (root: string): Plugin => ({
  name: 'as-workers',
  enforce: 'pre',
  resolveId(id) {
    if (id === 'told:worker') return join(root, 'worker/index.ts')
    return id.startsWith('cloudflare:') ? join(root, 'tests/bench/node-sockets.ts') : undefined
  },
  load(id) {
    if (!id.endsWith('.wasm')) return undefined
    return `export default new WebAssembly.Module(Buffer.from('${readFileSync(id).toString('base64')}', 'base64'))`
  },
})
