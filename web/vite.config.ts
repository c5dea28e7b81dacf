import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, transformWithOxc, type Plugin, type Rolldown } from 'vite'
import { dailyPages, findChunks, firstPages, startPage } from './chunks.ts'
import { joinedIcons } from './joined-icons.ts'
import { leanContracts } from './lean-contracts.ts'
import { namedColours } from './named-colours.ts'
import { buildFile, target, workerPages } from './worker-pages/build.ts'

const worker = 'http://127.0.0.1:8787'
const firstRoute_maxBytes = 220_000
const firstRoute_maxFiles = 12
const early_maxBytes = 7_000

const root = fileURLToPath(new URL('.', import.meta.url))

export default defineConfig(async ({ command }) => ({
  root,
  plugins: [
    react(),
    leanContracts(),
    joinedIcons(),
    namedColours(),
    documents(),
    workerPages(),
    earlyStart(),
    serviceWorker(),
    firstRouteBudget(),
  ],
  build: {
    outDir: '../.build/web',
    emptyOutDir: true,
    target,
    rolldownOptions: { output: { codeSplitting: { groups: command === 'build' ? await groups() : [] } } },
  },
  server: {
    proxy: Object.fromEntries(
      [
        '/api',
        '/users',
        '/auth-jwt',
        '/password_reset',
        '/public',
        '/conformance',
        '/census',
        '/status',
        '/sources',
        '/healthz',
      ].map((prefix) => [prefix, worker]),
    ),
  },
}))

const groups = async () => [
  {
    name: await findChunks({ root, plugins: [react(), leanContracts()], build: { target } }),
    includeDependenciesRecursively: false,
  },
]

/** The viewers of the API's document are separate files beside the app: no screen loads them. */
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

// ReDoc would fetch its logo from its makers' site.
const withoutLogo = (code: string) => code.replace('https://cdn.redoc.ly/redoc/logo-mini.svg', 'data:,')

function earlyStart(): Plugin {
  let fileName = ''
  return {
    name: 'early-start',
    apply: 'build',
    async buildStart() {
      // Of a contract it needs the address.
      const plugins = [leanContracts(['worker', 'web'], ['reply', 'summary', 'params', 'query', 'body'])]
      const { script: code } = await buildFile(`${root}early.ts`, { plugins, treeshake: { moduleSideEffects: false } })
      if (code.length > early_maxBytes)
        this.error(`early.ts may have ${early_maxBytes} bytes at most, not ${code.length}`)
      fileName = `assets/early-${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`
      this.emitFile({ type: 'asset', fileName, source: code })
    },
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const isThere = listFiles([startPage], bundle)
        const screens = Object.entries(dailyPages).map(([name, page]) => {
          const files = [...listFiles([dailyPages.layout, page], bundle)].filter((file) => !isThere.has(file))
          return [name, files.map((file) => `/${file}`)]
        })
        const [script = '', app = ''] = /<script type="module" crossorigin src="([^"]+)"><\/script>/.exec(html) ?? []
        if (!app) throw new Error('index.html starts no app')
        const list = JSON.stringify({ app, screens: Object.fromEntries(screens) })
        const tags = `<script type="application/json" id="start">${list}</script><script type="module" async src="/${fileName}"></script>`
        return html
          .replace(script, `<link rel="modulepreload" crossorigin href="${app}">`)
          .replace('</title>', `</title>${tags}`)
      },
    },
  }
}

/** Below the root, where it may answer for `/assets`. */
function serviceWorker(): Plugin {
  return {
    name: 'service-worker',
    apply: 'build',
    async generateBundle(_options, bundle) {
      const pages = [startPage, ...Object.values(dailyPages)]
      const files = [...listFiles(pages, bundle)].map((file) => `/${file}`)
      const name = createHash('sha256').update(Object.keys(bundle).join()).digest('hex').slice(0, 8)
      const { code } = await transformWithOxc(readFileSync(`${root}service-worker.ts`, 'utf8'), 'service-worker.ts')
      const source = `const build = ${JSON.stringify({ name, files })}\n${code}`
      this.emitFile({ type: 'asset', fileName: 'service-worker.js', source })
    },
  }
}

/** People who sign in wait for these bytes, so they must not grow unnoticed. */
function firstRouteBudget(): Plugin {
  return {
    name: 'first-route-budget',
    apply: 'build',
    writeBundle(_options, bundle) {
      const early = Object.keys(bundle).filter((name) => name.startsWith('assets/early-'))
      const names = new Set([...early, ...listFiles(firstPages, bundle)])
      const bytes = [...names].reduce((sum, name) => sum + gzippedBytes(bundle[name]), 0)
      this.info(`the first route loads ${(bytes / 1000).toFixed(1)} kB gz in ${names.size} files`)
      if (bytes > firstRoute_maxBytes || names.size > firstRoute_maxFiles)
        this.error(
          `the first route may load ${firstRoute_maxBytes / 1000} kB gz in ${firstRoute_maxFiles} files at most`,
        )
    },
  }
}

/** Of these pages, with all that they need at once. */
function listFiles(pages: string[], bundle: Rolldown.OutputBundle) {
  const files = new Set<string>()
  const add = (file: Rolldown.OutputAsset | Rolldown.OutputChunk | undefined) => {
    if (file?.type !== 'chunk' || files.has(file.fileName)) return
    for (const name of [file.fileName, ...(file.viteMetadata?.importedCss ?? [])]) files.add(name)
    for (const name of file.imports) add(bundle[name])
  }
  for (const file of Object.values(bundle))
    if (file.type === 'chunk' && pages.some((page) => file.facadeModuleId?.endsWith(page))) add(file)
  return files
}

function gzippedBytes(file: Rolldown.OutputAsset | Rolldown.OutputChunk | undefined) {
  if (!file) return 0
  return gzipSync(file.type === 'chunk' ? file.code : file.source).length
}
