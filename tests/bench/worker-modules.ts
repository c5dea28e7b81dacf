import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

const sockets = fileURLToPath(new URL('./node-sockets.ts', import.meta.url))

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
})
