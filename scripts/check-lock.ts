// A lock written on one platform may lack the packages of another; `npm ci` then fails, but only over there.
import { spawnSync } from 'node:child_process'
import { root } from './start/options.ts'

const { status, error, stdout, stderr } = spawnSync('npm', ['ci', '--dry-run', '--no-audit', '--no-fund'], {
  cwd: root,
  encoding: 'utf8',
  shell: process.platform === 'win32',
})
const output = stdout + stderr
const missing = output.split('\n').filter((line) => line.includes('Missing'))
if (status !== 0 || missing.length) {
  console.error(error?.message ?? (missing.join('\n') || output))
  console.error('package-lock.json does not fit package.json: run npm install and commit the lock.')
  process.exit(1)
}
