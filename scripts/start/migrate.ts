// `node scripts/start/migrate.ts <state>`: the same as the tool's `d1 migrations apply`, which starts a runtime for each migration.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { D1Database } from '@cloudflare/workers-types'
import { getPlatformProxy, unstable_splitSqlQuery } from 'wrangler'
import { root } from './options.ts'
import { listMigrations } from './wrangler.ts'

const table = `CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`

const [database = ''] = process.argv.slice(2)
const { env, dispose } = await getPlatformProxy<{ DB: D1Database }>({
  configPath: join(root, 'wrangler.toml'),
  envFiles: [],
  persist: { path: join(database, 'v3') },
  remoteBindings: false,
})
try {
  await env.DB.prepare(table).run()
  const { results } = await env.DB.prepare('SELECT name FROM d1_migrations').all<{ name: string }>()
  const applied = new Set(results.map(({ name }) => name))
  for (const name of listMigrations().filter((each) => !applied.has(each))) await apply(name)
} finally {
  await dispose()
}

/** With its row, so that a killed start leaves no migration half applied. */
async function apply(name: string) {
  const statements = unstable_splitSqlQuery(readFileSync(join(root, 'migrations', name), 'utf8'))
  const row = env.DB.prepare('INSERT INTO d1_migrations(name) VALUES (?1)').bind(name)
  await env.DB.batch([...statements.map((sql) => env.DB.prepare(sql)), row])
}
