import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import type { Plugin, Rolldown } from 'vite'

const worker = 'http://127.0.0.1:8787'
const firstRoute = '/auth/auth-page.tsx'
const firstRoute_maxBytes = 220_000

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react(), documents(), firstRouteBudget()],
  build: { outDir: '../.build/web', emptyOutDir: true, target: 'es2023' },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/users', '/auth-jwt', '/password_reset', '/public', '/healthz'].map((prefix) => [prefix, worker]),
    ),
  },
})

/** The viewers of the API's document lie beside the app, as whole files: no screen loads them. */
function documents(): Plugin {
  const packages = fileURLToPath(new URL('../node_modules', import.meta.url))
  return {
    name: 'documents',
    apply: 'build',
    generateBundle() {
      for (const path of [
        'swagger-ui-dist/swagger-ui-bundle.js',
        'swagger-ui-dist/swagger-ui-bundle.js.LICENSE.txt',
        'swagger-ui-dist/swagger-ui.css',
        'redoc/bundles/redoc.standalone.js',
        'redoc/bundles/redoc.standalone.js.LICENSE.txt',
      ]) {
        const fileName = `docs/${path.split('/').at(-1)}`
        this.emitFile({ type: 'asset', fileName, source: withoutLogo(readFileSync(`${packages}/${path}`, 'utf8')) })
      }
    },
  }
}

// ReDoc fetches it from its makers: what cannot be fetched is left out.
const withoutLogo = (code: string) => code.replace('https://cdn.redoc.ly/redoc/logo-mini.svg', 'data:,')

/** People who sign in wait for these bytes, so they must not grow unnoticed. */
function firstRouteBudget(): Plugin {
  return {
    name: 'first-route-budget',
    apply: 'build',
    writeBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
      const roots = chunks.filter((chunk) => chunk.isEntry || chunk.facadeModuleId?.endsWith(firstRoute))
      const names = new Set(roots.flatMap((chunk) => listFiles(chunk, bundle)))
      const bytes = [...names].reduce((sum, name) => sum + gzippedBytes(bundle[name]), 0)
      this.info(`the first route loads ${(bytes / 1000).toFixed(1)} kB gz in ${names.size} files`)
      if (bytes > firstRoute_maxBytes)
        this.error(`the first route may load ${firstRoute_maxBytes / 1000} kB gz at most`)
    },
  }
}

function listFiles(chunk: Rolldown.OutputChunk, bundle: Rolldown.OutputBundle, seen = new Set<string>()): string[] {
  if (seen.has(chunk.fileName)) return []
  seen.add(chunk.fileName)
  const imported = chunk.imports.flatMap((name) => {
    const file = bundle[name]
    return file?.type === 'chunk' ? listFiles(file, bundle, seen) : []
  })
  return [chunk.fileName, ...(chunk.viteMetadata?.importedCss ?? []), ...imported]
}

function gzippedBytes(file: Rolldown.OutputAsset | Rolldown.OutputChunk | undefined) {
  if (!file) return 0
  return gzipSync(file.type === 'chunk' ? file.code : file.source).length
}
