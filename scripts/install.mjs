// Runs before every npm script, on whatever Node is at hand (20 or newer): brings node_modules up to package-lock.json.
// The packages include Node 24, and npm puts node_modules/.bin first on PATH, so the script itself runs on that.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamp = `${root}node_modules/.lock-hash`
const wanted = createHash('sha256')
  .update(readFileSync(`${root}package-lock.json`))
  .digest('hex')

if (!isInstalled()) install()
requireNode24()

function isInstalled() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted
}

function install() {
  console.log('Installing packages (once, about a minute) …')
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const { status, error, stdout, stderr } = spawnSync(npm, ['ci', '--include=dev', '--no-audit', '--no-fund'], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (status !== 0) {
    console.error(error ? error.message : stdout + stderr)
    console.error('npm ci failed: the packages are not installed.')
    process.exit(1)
  }
  writeFileSync(stamp, wanted)
}

function requireNode24() {
  const isOwn = existsSync(`${root}node_modules/.bin/node`) || existsSync(`${root}node_modules/.bin/node.cmd`)
  if (isOwn || Number(process.versions.node.split('.')[0]) >= 24) return
  console.error(
    `Earshot needs Node 24, and there is no package of it for ${process.platform}-${process.arch}: install it.`,
  )
  process.exit(1)
}
