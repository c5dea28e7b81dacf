import { execFile } from 'node:child_process'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createBrotliDecompress } from 'node:zlib'

/** A browser that brings its own libraries and fonts. */
type Installed = { executablePath: string; env: Record<string, string> }

const run = promisify(execFile)

/** The packed Chromium of the packages exists only for Linux on x64. */
export const hasPackagedBrowser =
  process.platform === 'linux' && process.arch === 'x64' && existsSync(packed('chromium.br'))

/**
 * Unpacks Chromium once, beside the packages. The package's own function would take any existing `/tmp/chromium`,
 * whatever its version and author, and omits the libraries on machines that are not Amazon's.
 */
export async function installPackagedBrowser(): Promise<Installed> {
  const folder = join(dirname(packed('')), '.unpacked')
  if (!existsSync(folder)) await unpack(folder)
  const libraries = [join(folder, 'lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(':')
  return {
    executablePath: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: libraries, FONTCONFIG_FILE: join(folder, 'fonts.conf') },
  }
}

// Under another name first, so that an interrupted start leaves no half of a browser behind.
async function unpack(folder: string) {
  const unfinished = await mkdtemp(`${folder}-`)
  await decompress('chromium.br', join(unfinished, 'chromium'))
  for (const archive of ['al2023.tar', 'fonts.tar', 'swiftshader.tar']) {
    await decompress(`${archive}.br`, join(unfinished, archive))
    await run('tar', ['-xf', join(unfinished, archive), '-C', unfinished])
    await rm(join(unfinished, archive))
  }
  await mkdir(join(unfinished, 'cache'))
  await writeFile(join(unfinished, 'fonts.conf'), fontsConfig(folder))
  await rename(unfinished, folder).catch((error: unknown) => {
    // Another process was faster.
    if (!existsSync(folder)) throw error
    return rm(unfinished, { recursive: true })
  })
}

const decompress = (name: string, target: string) =>
  pipeline(createReadStream(packed(name)), createBrotliDecompress(), createWriteStream(target, { mode: 0o755 }))

function packed(name: string) {
  const main = createRequire(import.meta.url).resolve('@sparticuz/chromium')
  return join(dirname(main), '..', 'bin', name)
}

const fontsConfig = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir>${folder}/fonts</dir>
  <cachedir>${folder}/cache</cachedir>
</fontconfig>
`
