import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

const sockets = fileURLToPath(new URL('../support/node-sockets.ts', import.meta.url))

// Modules of the worker, and of a package, name each other without an ending, as a bundler reads them.
registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier.startsWith('cloudflare:')) return nextResolve(sockets, context)
    try {
      return nextResolve(specifier, context)
    } catch (error) {
      if (!specifier.startsWith('.')) throw error
      const isOwn = !context.parentURL?.includes('node_modules')
      return nextResolve(`${specifier}.${isOwn ? 'ts' : 'js'}`, context)
    }
  },
  // As wrangler does: a compiled module.
  load(url, context, nextLoad) {
    if (!url.endsWith('.wasm')) return nextLoad(url, context)
    const bytes = readFileSync(new URL(url)).toString('base64')
    const source = `export default new WebAssembly.Module(Buffer.from('${bytes}', 'base64'))`
    return { format: 'module', source, shortCircuit: true }
  },
})
