import { applyD1Migrations, reset } from 'cloudflare:test'
import type { D1Migration } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach } from 'vitest'
import { readFromLateCopy } from './support/late-copy'

type Bindings = { DB: D1Database; COPY: D1Database; TEST_MIGRATIONS: D1Migration[]; LATE_COPIES: string }
const { DB, COPY, TEST_MIGRATIONS, LATE_COPIES } = env as unknown as Bindings

// Once per runtime the migrations make the schema; then it is made at once, which takes a fifth of the time.
const cache = globalThis as { migrated?: string[] }

// The files share one runtime, because starting it costs a second; each test begins with an empty, migrated database.
beforeEach(async () => {
  // A database that slept is not reset: wake it first.
  await DB.prepare('SELECT 1').run()
  await COPY.prepare('SELECT 1').run()
  await reset()
  if (cache.migrated) await DB.batch(cache.migrated.map((sql) => DB.prepare(sql)))
  else {
    await applyD1Migrations(DB, TEST_MIGRATIONS)
    cache.migrated = await readSchema()
  }
  if (LATE_COPIES) await readFromLateCopy(DB, COPY, true)
})

type Made = { type: string; name: string; sql: string }

async function readSchema() {
  const { results: made } = await DB.prepare(
    `SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'
     AND name NOT GLOB '*_fts_data' AND name NOT GLOB '*_fts_idx' AND name NOT GLOB '*_fts_content'
     AND name NOT GLOB '*_fts_docsize' AND name NOT GLOB '*_fts_config' ORDER BY rowid`,
  ).all<Made>()
  const { results: counters } = await DB.prepare('SELECT name, value FROM counters').all<{
    name: string
    value: number
  }>()
  const order = ['table', 'index', 'trigger']
  return [
    ...made.toSorted((a, b) => order.indexOf(a.type) - order.indexOf(b.type)).map(({ sql }) => sql),
    ...counters.map(({ name, value }) => `INSERT INTO counters(name, value) VALUES ('${name}', ${value})`),
  ]
}
