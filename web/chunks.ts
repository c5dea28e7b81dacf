import { type InlineConfig, type Rolldown, build, normalizePath } from 'vite'

export const startPage = '/index.html'
/** People who sign in wait for these. */
export const firstPages = [startPage, '/auth/auth-page.tsx']
/** Every screen needs the layout, and people spend most of their time on these screens: `early.ts` loads their files in advance. */
export const dailyPages = {
  layout: '/layout/main-layout.tsx',
  home: '/home/home-page.tsx',
  vulns: '/vulns/list/vuln-list-page.tsx',
  vuln: '/vulns/detail/vuln-page.tsx',
  search: '/search/search-page.tsx',
}

/**
 * By default the bundler writes a file for each set of screens that share something, so that a screen would load a hundred.
 * Which screen a module serves is known only after unused code is gone, so a first build is made to find it.
 */
export async function findChunks(config: InlineConfig & { root: string }): Promise<(module: string) => string | null> {
  const built = await build({
    ...config,
    configFile: false,
    logLevel: 'silent',
    build: { ...config.build, write: false, minify: false, cssMinify: false },
  })
  const screens = findScreens('output' in built ? built.output : [], normalizePath(config.root))
  return (module) => {
    const users = screens.get(module)
    if (!users || users.size < 2) return null
    if (firstPages.some((page) => users.has(page))) return 'first'
    return Object.values(dailyPages).some((page) => users.has(page)) ? 'daily' : 'shared'
  }
}

/** For each module the screens that need it at once, by their files below the root. */
function findScreens(output: (Rolldown.OutputChunk | Rolldown.OutputAsset)[], root: string) {
  const chunks = new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file] as const] : [])))
  const screens = new Map<string, Set<string>>()
  for (const chunk of chunks.values()) {
    if (!chunk.facadeModuleId?.startsWith(root)) continue
    const screen = chunk.facadeModuleId.slice(root.length - 1)
    for (const module of listModules(chunk, chunks)) addTo(screens, module, screen)
  }
  return screens
}

function listModules(
  chunk: Rolldown.OutputChunk,
  chunks: Map<string, Rolldown.OutputChunk>,
  visited = new Set<string>(),
) {
  if (visited.has(chunk.fileName)) return []
  visited.add(chunk.fileName)
  const modules: string[] = Object.keys(chunk.modules)
  for (const name of chunk.imports) {
    const imported = chunks.get(name)
    if (imported) modules.push(...listModules(imported, chunks, visited))
  }
  return modules
}

function addTo(screens: Map<string, Set<string>>, module: string, screen: string) {
  const users = screens.get(module)
  if (users) users.add(screen)
  else screens.set(module, new Set([screen]))
}
