// `npm run deploy` asks the database it deploys to: statements of ours need jsonb_each, which came with SQLite 3.51.
import { execFileSync } from 'node:child_process'
import { judgeAnswer } from './sqlite-version.ts'

const query = ['d1', 'execute', 'DB', '--remote', '--json', '--command', 'SELECT sqlite_version() AS version']
const refusal = judgeAnswer(() =>
  execFileSync('wrangler', query, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }),
)
if (refusal) {
  console.error(`${refusal}: nothing was deployed.`)
  process.exit(1)
}
