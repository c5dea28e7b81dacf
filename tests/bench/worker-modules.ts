import { registerHooks } from 'node:module'

// Modules of the worker, and of a package, name each other without an ending, as a bundler reads them.
registerHooks({
  resolve(specifier, context, nextResolve) {
    // Nothing that is measured in this process opens a connection of the platform.
    if (specifier.startsWith('cloudflare:')) return nextResolve('node:net', context)
    try {
      return nextResolve(specifier, context)
    } catch (error) {
      if (!specifier.startsWith('.')) throw error
      const isOwn = !context.parentURL?.includes('node_modules')
      return nextResolve(`${specifier}.${isOwn ? 'ts' : 'js'}`, context)
    }
  },
})
