import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { waitForLock } from './lock.ts'
import { root } from './options.ts'
import { readIfThere } from './private-file.ts'

/** Builds into .build/<name>, unless what is there has the same sources. */
export async function buildOnce(name: string, folders: string[], build: () => Promise<void>) {
  const made = join(root, '.build', name)
  const release = await waitForLock(`${made}.lock`)
  try {
    const sources = hashSources(folders)
    if (readIfThere(`${made}.hash`) === sources && existsSync(made)) return
    // A build that is broken off leaves half of itself.
    rmSync(`${made}.hash`, { force: true })
    await build()
    writeFileSync(`${made}.hash`, sources)
  } finally {
    release()
  }
}

function hashSources(folders: string[]) {
  const hash = createHash('sha256')
  for (const folder of folders)
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true, recursive: true })) {
      if (!entry.isFile()) continue
      const path = join(entry.parentPath, entry.name)
      hash.update(path).update(readFileSync(path))
    }
  for (const file of ['package-lock.json', 'wrangler.toml']) hash.update(readFileSync(join(root, file)))
  return hash.digest('hex')
}
