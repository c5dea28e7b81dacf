// `npm run deploy` asks the database it deploys to: statements of ours need jsonb_each, which came with SQLite 3.51.
import { execFileSync } from 'node:child_process'
import { needed, tooOld } from './sqlite-version.ts'

const query = ['d1', 'execute', 'DB', '--remote', '--json', '--command', 'SELECT sqlite_version() AS version']
const output = execFileSync('wrangler', query, { encoding: 'utf8' })
const version = /"version":\s*"([\d.]+)"/.exec(output)?.[1] ?? 'unknown'
if (tooOld(version)) {
  console.error(`The remote database runs SQLite ${version}, and ${needed} or newer is needed: nothing was deployed.`)
  process.exit(1)
}
