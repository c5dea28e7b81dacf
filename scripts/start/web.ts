import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { launch, run } from './children.ts'
import { readIfThere } from './private-file.ts'
import { waitForLock } from './lock.ts'
import { root } from './options.ts'

const vite = ['node_modules/vite/bin/vite.js', 'build', '--config', 'web/vite.config.ts']
const stamp = join(root, '.build/web.hash')

/** Builds the app into .build/web, unless the build there has the same sources. */
export async function buildWeb() {
  const release = await waitForLock(join(root, '.build/web.lock'))
  try {
    const sources = hashSources()
    if (readIfThere(stamp) === sources && existsSync(join(root, '.build/web/index.html'))) return
    console.log('Building the app …')
    // A caller, such as a test, may have set another NODE_ENV.
    await run('vite build', vite, { NODE_ENV: 'production' })
    writeFileSync(stamp, sources)
  } finally {
    release()
  }
}

export function watchWeb() {
  launch([...vite, '--watch'], { NODE_ENV: 'production' }, (line) => {
    if (/error|built in/i.test(line)) console.log(`web: ${line}`)
  })
}

// The app imports contracts and domain from the worker.
function hashSources() {
  const hash = createHash('sha256')
  for (const folder of ['web', 'worker'])
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true, recursive: true })) {
      if (!entry.isFile()) continue
      const path = join(entry.parentPath, entry.name)
      hash.update(path).update(readFileSync(path))
    }
  return hash.update(readFileSync(join(root, 'package-lock.json'))).digest('hex')
}
