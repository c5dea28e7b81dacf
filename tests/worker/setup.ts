import { applyD1Migrations, reset, type D1Migration } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, expect } from 'vitest'
import { readFromLateCopy } from './support/late-copy'

type Bindings = {
  DB: D1Database
  COPY: D1Database
  UPGRADE: D1Database
  BACKUPS: R2Bucket
  TEST_MIGRATIONS: D1Migration[]
  LATE_COPIES: string
}
const { DB, COPY, UPGRADE, BACKUPS, TEST_MIGRATIONS, LATE_COPIES } = env as unknown as Bindings

type Made = { type: string; name: string; sql: string }
type Schema = { sql: string[]; tables: string[]; questions: string[]; counters: string[]; shape: string }

// Once per runtime the migrations make the schema. Then its tables are emptied, which takes a tenth of making it at once.
const runtime = globalThis as {
  schema?: Schema
  migrated?: string[]
  isStored?: boolean
  filledFor?: string | undefined
}

// Nobody needs to ask before each test for what is stored beside the database: its writing is seen.
if (runtime.isStored === undefined) {
  runtime.isStored = false
  noteWrites(Cache.prototype, 'put')
  const files = Object.getPrototypeOf(BACKUPS) as R2Bucket
  noteWrites(files, 'put')
  noteWrites(files, 'createMultipartUpload')
  for (const other of [COPY, UPGRADE]) noteWrites(other, 'prepare')
}

function noteWrites<Store extends object>(store: Store, way: keyof Store) {
  const write = store[way] as (...given: unknown[]) => unknown
  store[way] = function (this: Store, ...given: unknown[]) {
    runtime.isStored = true
    return write.apply(this, given)
  } as Store[keyof Store]
}

// The files share one runtime, because starting it costs a second; each test begins with an empty, migrated database,
// or with what `fillOnce` filled for all tests of its file.
beforeEach(async ({ task }) => {
  if (!LATE_COPIES && runtime.filledFor === task.file.id) return
  runtime.filledFor = undefined
  if (!(await emptyTables())) await beginAnew()
  if (LATE_COPIES && !makesItsOwn()) await readFromLateCopy(DB, COPY, true)
})

const makesItsOwn = () => expect.getState().testPath?.endsWith('/copies.test.ts')

async function beginAnew() {
  // A database that slept is not reset: wake it first.
  for (const base of [DB, COPY, UPGRADE]) await base.prepare('SELECT 1').run()
  await reset()
  runtime.isStored = false
  if (runtime.schema) await run(runtime.schema.sql)
  else {
    await applyD1Migrations(DB, TEST_MIGRATIONS)
    runtime.schema = await readSchema()
    runtime.migrated = runtime.schema.sql
  }
  runtime.schema.shape = JSON.stringify(await DB.prepare(shape).first())
}

const run = (statements: string[]) => DB.batch(statements.map((sql) => DB.prepare(sql)))

const shape = "SELECT count(*) AS count, sum(length(sql)) AS size FROM sqlite_master WHERE name NOT GLOB '_cf_*'"

/** Whether all is now as if it were new; nothing is done where more than rows of the database was changed. */
async function emptyTables() {
  const { schema, isStored } = runtime
  if (!schema || isStored) return false
  const [found, ...parts] = await run([shape, ...schema.questions])
  if (JSON.stringify(found?.results[0]) !== schema.shape) return false
  const names = new Set(parts.flatMap(({ results }) => (results[0] as { names: string }).names.split(' ')))
  const filled = schema.tables.filter((name) => names.has(name))
  await run(['PRAGMA defer_foreign_keys = on', ...filled.map(toEmptying), ...schema.counters])
  return true
}

const isSearched = (name: string) => name.endsWith('_fts')
const toNameUnlessEmpty = (name: string) =>
  isSearched(name)
    ? `iif((SELECT count(*) FROM ${name}_data) > 2, '${name} ', '')`
    : `iif(EXISTS (SELECT 1 FROM ${name}), '${name} ', '')`
const toEmptying = (name: string) =>
  isSearched(name) ? `INSERT INTO ${name}(${name}) VALUES ('delete-all')` : `DELETE FROM ${name}`

async function readSchema() {
  const { results: made } = await DB.prepare(
    `SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'
     AND name NOT GLOB '*_fts_data' AND name NOT GLOB '*_fts_idx' AND name NOT GLOB '*_fts_content'
     AND name NOT GLOB '*_fts_docsize' AND name NOT GLOB '*_fts_config' ORDER BY rowid`,
  ).all<Made>()
  const { results } = await DB.prepare('SELECT name, value FROM counters').all<{ name: string; value: number }>()
  const counters = results.map(
    ({ name, value }) => `INSERT INTO counters(name, value) VALUES ('${name}', ${value}) ON CONFLICT DO NOTHING`,
  )
  const order = ['table', 'index', 'trigger']
  const sorted = made.toSorted((a, b) => order.indexOf(a.type) - order.indexOf(b.type))
  // A table that refers to others was made after them; the rows of an index for searches go after what writes them.
  const tables = sorted.filter(({ type }) => type === 'table').map(({ name }) => name)
  const written = tables.filter((name) => !isSearched(name)).toReversed()
  const emptied = [...written, ...tables.filter(isSearched), 'sqlite_sequence']
  const toQuestion = (part: string[]) => `SELECT ${part.map(toNameUnlessEmpty).join(' || ')} AS names`
  return {
    sql: [...sorted.map(({ sql }) => sql), ...counters],
    // Three, as an expression is not deeper than a hundred.
    questions: [0, 1, 2].map((part) => toQuestion(emptied.filter((_, at) => at % 3 === part))),
    tables: emptied,
    counters,
    shape: '',
  }
}
