import { createServer } from 'vite'
import { root } from './start/options.ts'

/** Loads modules of the worker into this process, for code that opens no connections. */
export const openWorkerModules = () =>
  createServer({
    configFile: false,
    root,
    server: { middlewareMode: true },
    appType: 'custom',
    plugins: [
      {
        name: 'platform',
        resolveId: (id) => (id.startsWith('cloudflare:') ? `\0${id}` : undefined),
        load: (id) => (id.startsWith('\0cloudflare:') ? 'export const connect = undefined' : undefined),
      },
    ],
    ssr: { noExternal: ['worker-mailer'] },
  })
