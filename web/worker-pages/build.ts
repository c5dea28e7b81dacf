import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build, type Plugin, type Rolldown } from 'vite'

/** Syntax of browsers that the web supports. */
export const target = 'es2023'
const root = fileURLToPath(new URL('.', import.meta.url))

/** Styles and scripts of the pages that the Worker writes, which are no part of its own script. */
export const workerPages = (): Plugin => ({
  name: 'worker-pages',
  apply: 'build',
  async generateBundle() {
    const { styles, script } = await buildFile(`${root}docs.ts`)
    this.emitFile({ type: 'asset', fileName: 'docs/viewer.css', source: styles })
    this.emitFile({ type: 'asset', fileName: 'docs/viewer.js', source: script })
    this.emitFile({ type: 'asset', fileName: 'public/page.json', source: await buildPublicPage() })
  },
})

/** Each public page holds this style and script, so that a first visit makes one trip: its policy names their hashes. */
export async function buildPublicPage() {
  const { styles, script } = await buildFile(`${root}public.ts`)
  const read = (name: string): unknown => JSON.parse(readFileSync(`${root}../../worker/public/${name}.json`, 'utf8'))
  const hashes = { styles: hashText(styles), script: hashText(script) }
  return JSON.stringify({ styles, script, hashes, sources: read('sources'), conformance: read('conformance') })
}

const hashText = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

type Lean = { plugins?: Plugin[]; treeshake?: Rolldown.InputOptions['treeshake'] }

/** A script and the styles that it imports, both without needless spaces. */
export async function buildFile(input: string, { plugins = [], treeshake = true }: Lean = {}) {
  const built = await build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'silent',
    plugins,
    build: {
      target,
      // Anybody may come with an older browser than the app's.
      cssTarget: 'safari15',
      write: false,
      cssCodeSplit: false,
      rolldownOptions: { input, treeshake, output: { format: 'iife' } },
    },
  })
  const files = 'output' in built ? built.output : []
  const script = files.flatMap((file) => (file.type === 'chunk' ? file.code : [])).join('')
  const styles = files.flatMap((file) => (file.type === 'asset' ? String(file.source) : [])).join('')
  if (!script) throw new Error(`${input} was not built`)
  return { styles: styles.replace(/\s*\/\*\$vite.*$/s, ''), script: script.trim() }
}
