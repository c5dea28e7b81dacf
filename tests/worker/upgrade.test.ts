import { env as bindings } from 'cloudflare:workers'
import { applyD1Migrations, type D1Migration } from 'cloudflare:test'
import { getTableName } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { allTables } from '../../worker/schema/all'

const { UPGRADE: db, TEST_MIGRATIONS: migrations } = bindings as unknown as {
  UPGRADE: D1Database
  TEST_MIGRATIONS: D1Migration[]
}
const ask = async <Answer = Row>(sql: string) => (await db.prepare(sql).all<Answer>()).results
const listTables = async () =>
  (
    await ask<{ name: string; sql: string }>(
      `SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name NOT LIKE 'd1\\_%' ESCAPE '\\' AND name NOT LIKE '%\\_fts%' ESCAPE '\\'`,
    )
  ).toSorted((a, b) => a.name.localeCompare(b.name))

type Column = { name: string; type: string }
const listColumns = (table: string) => ask<Column>(`SELECT name, type FROM pragma_table_info('${table}')`)

type Row = Record<string, unknown>

/** Each table gets a row whose values are all that number, so that it refers to the rows of the same number elsewhere. */
async function fillEach(number: number) {
  const tables = (await listTables()).map(({ name }) => name)
  const columns = await ask<Column & { table: string }>(
    `SELECT t.value AS "table", c.name, c.type FROM json_each('${JSON.stringify(tables)}') t JOIN pragma_table_info(t.value) c`,
  )
  const filling = tables.map((table) => {
    const own = columns.filter((column) => column.table === table)
    const values = own.map(({ type }) => {
      if (/int|real/i.test(type)) return number
      return /blob/i.test(type) ? `x'${String(number).padStart(4, '0')}'` : `'number ${number}'`
    })
    const names = own.map(({ name }) => `"${name}"`).join()
    return db.prepare(`INSERT OR REPLACE INTO ${table}(${names}) VALUES (${values.join()}) RETURNING *`)
  })
  const [, ...filled] = await db.batch<Row>([db.prepare('PRAGMA defer_foreign_keys = ON'), ...filling])
  return tables.map((table, at) => ({ table, row: filled[at]?.results[0] ?? {} }))
}

/** Numbers that are never given again without AUTOINCREMENT, and why. */
const otherwise: Record<string, string> = {
  orgs: 'handed out by the counter last_org_id',
  left_users: 'the number of its user',
  inventories: 'handed out by orgs.last_inventory_id',
  inventory_components: 'handed out by inventories.last_component_id',
  vendors: 'never removed',
  products: 'never removed',
  packages: 'never removed',
  weaknesses: 'the number of its CWE',
  attack_patterns: 'the number of its CAPEC',
  feeds: 'a word',
  lifecycles: 'its name at endoflife.date',
  challenges: 'random',
}

/** Each drop or renaming, and the migration since which no Worker reads what it takes. */
const dropped: Record<string, string> = {
  'DROP TABLE vuln_statuses': '0010_decisions',
  'DROP TABLE vuln_status_changes': '0010_decisions',
  'DROP TABLE vuln_snoozes': '0010_decisions',
  'DROP TABLE inventory_decisions': '0010_decisions',
  'DROP TABLE vuln_assignees': '0012_assignees',
  'DROP TABLE watch_due': '0024_due',
}

// The first three made tables anew.
test('nothing is dropped or renamed that the Worker of before reads, as a rollback runs it on the new schema', () => {
  const drops = migrations
    .slice(3)
    .flatMap(({ name, queries }) =>
      queries.flatMap((sql) =>
        [...sql.matchAll(/^.*\b(?:DROP (?:TABLE|COLUMN)|RENAME)\b.*?;?$/gim)].map(([text]) => ({ name, text })),
      ),
    )
    .map(({ name, text }) => ({ name, text: text.replaceAll(/[`;]/g, '').trim() }))
  expect(drops.map(({ text }) => text)).toEqual(Object.keys(dropped))
  const standing = allTables.map((table) => getTableName(table))
  for (const { name, text } of drops) {
    const since = migrations.find((one) => one.name === `${dropped[text]}.sql`)
    const table = text.split(' ').at(-1) ?? ''
    expect(since?.queries.join()).toContain(table)
    expect([text, since && since.name < name, standing.includes(table)]).toEqual([text, true, false])
  }
})

/** A release has the migrations up to one of these. */
test('a database of any release keeps every row through all later migrations', async () => {
  const filled = []
  for (let number = 1; number <= migrations.length; number++) {
    await applyD1Migrations(db, migrations.slice(0, number))
    filled.push(...(await fillEach(number)))
    if (number === 1)
      await ask("INSERT INTO feeds(id, state, next_run_at) VALUES ('remerge', 'idle', '9999-12-31T00:00:00Z')")
  }
  expect(filled.length).toBeGreaterThan(80 * migrations.length)

  const lost = []
  const after = new Map<string, Row[]>()
  for (const { table, row } of filled) {
    // A later landing decided it anew for everybody.
    if (table === 'members') delete row['manage_metadata']
    if (`DROP TABLE ${table}` in dropped) continue
    if (!after.has(table)) after.set(table, await ask(`SELECT * FROM ${table}`))
    const isKept = after
      .get(table)
      ?.some((one) => Object.entries(row).every(([name, value]) => isSame(one[name], value)))
    if (!isKept) lost.push([table, row])
  }
  expect(lost).toEqual([])
  expect(await ask('PRAGMA foreign_key_check')).toEqual([])
  // Rules of the merge that changed reach each record, soon after the new Worker is there.
  const [again] = await ask<{ next_run_at: string }>("SELECT next_run_at FROM feeds WHERE id = 'remerge'")
  expect(Date.parse(again?.next_run_at ?? '') - Date.now()).toBeLessThanOrEqual(15 * 60_000)
  const indexes = await ask<{ n: number }>(
    "SELECT count(*) AS n FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL",
  )
  expect(indexes).toEqual([{ n: 75 }])
}, 180_000)

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

const decidedBefore = [
  "INSERT INTO orgs(id, name, slug, created_at) VALUES (1, 'a', 'a', '')",
  "INSERT INTO users(id, username, email, password_hash, created_at) VALUES (5, 'a', 'a@b.example', '!', '')",
  "INSERT INTO vulns(id, cveid, state, summary, created_at, updated_at) VALUES (2, 'CVE-2024-10002', 'published', '', 0, 0)",
  "INSERT INTO vuln_statuses VALUES (1, 2, 'not_interesting', '2026-01-01T00:00:00Z', 5, 'component_not_present', 'Gone', 'Ops', '2026-12-31')",
  `INSERT INTO vuln_snoozes VALUES (1, 2, 'accepted', '2027-01-01', 1, 0, 1, 0.5, 'Behind a VPN', 5, 5, '2026-01-02T00:00:00Z', NULL, NULL)`,
  `INSERT INTO inventory_decisions VALUES (1, 3, 2, 4, '', 'affected', NULL, 'Upgrade', '2.0', 'Ops', '2026-11-30', '2026-01-03T00:00:00Z', 5, NULL, NULL),
     (1, 3, 2, 4, 'Supplier', 'fixed', NULL, 'Mended', NULL, NULL, NULL, '2026-01-04T00:00:00Z', NULL, '2026-01-05T00:00:00Z', 5)`,
  "INSERT INTO vuln_status_changes VALUES (9, 1, 2, 'in_progress', '2025-12-31T00:00:00Z', 5), (10, 1, 2, 'not_interesting', '2026-01-01T00:00:00Z', 5)",
  "INSERT INTO clock_jobs(name, every_s, last_success) VALUES ('snoozes', 86400, '2026-01-01T00:00:00Z'), ('seen', 86400, '2026-01-01T00:00:00Z')",
]

test('every decision of the landing before is found again in the one table', async () => {
  await applyD1Migrations(
    db,
    migrations.slice(
      0,
      migrations.findIndex(({ name }) => /_decisions\b/.test(name)),
    ),
  )
  for (const sql of decidedBefore) await ask(sql)
  await ask("INSERT INTO vuln_assignees VALUES (1, 2, 5, '2026-01-06T00:00:00Z')")
  await applyD1Migrations(db, migrations)

  const found = { org_id: 1, vuln_id: 2, user_id: 5 }
  const here = { inventory_id: 3, component_id: 4 }
  expect(await ask('SELECT * FROM decisions ORDER BY decided_at')).toMatchObject([
    {
      ...found,
      scope: 'vulnerability',
      verdict: 'not_interesting',
      decided_at: '2026-01-01T00:00:00Z',
      justification: 'component_not_present',
      note: 'Gone',
      owner: 'Ops',
      last_day: '2026-12-31',
    },
    {
      ...found,
      scope: 'alerts',
      verdict: 'accepted',
      note: 'Behind a VPN',
      owner_id: 5,
      last_day: '2026-12-31',
      on_fix: 1,
      on_kev: 0,
      on_exploit: 1,
      epss_above: 0.5,
      ended_at: null,
    },
    {
      ...found,
      ...here,
      scope: 'component',
      author: '',
      verdict: 'affected',
      note: 'Upgrade',
      fix: '2.0',
      last_day: '2026-11-30',
    },
    {
      ...here,
      scope: 'component',
      author: 'Supplier',
      verdict: 'fixed',
      user_id: null,
      ended_at: '2026-01-05T00:00:00Z',
      ended_by: 'hand',
      ended_user_id: 5,
    },
    { org_id: 1, vuln_id: 2, scope: 'assignee', verdict: 'assigned', owner_id: 5, user_id: null },
  ])
  expect(await ask('SELECT id, vuln_id, scope, verdict, user_id FROM decision_changes')).toEqual([
    { id: 9, vuln_id: 2, scope: 'vulnerability', verdict: 'in_progress', user_id: 5 },
    { id: 10, vuln_id: 2, scope: 'vulnerability', verdict: 'not_interesting', user_id: 5 },
  ])
  expect(await ask('SELECT name FROM clock_jobs')).toEqual([{ name: 'seen' }])
})

test('inventories are compared by names that are looked for otherwise now, and extensions of VS Code keep their rows', async () => {
  await applyD1Migrations(
    db,
    migrations.slice(
      0,
      migrations.findIndex(({ name }) => /_vscode_names\b/.test(name)),
    ),
  )
  await ask("INSERT INTO orgs(id, name, slug, created_at) VALUES (1, 'a', 'a', '')")
  await ask(
    `INSERT INTO packages(id, type, name, updated_at) VALUES (1, 'vscode-extension', 'BigBlack.codo-ai', ''), (2, 'npm', 'A.b', ''),
     (3, 'githubactions', 'tj-actions/changed-files', ''), (4, 'golang', 'stdlib', ''), (5, 'wordpress', 'akismet', ''),
     (6, 'nuget', 'Newtonsoft.Json', '')`,
  )
  await ask(
    'INSERT INTO vuln_packages(vuln_id, package_id, since_seq, touched) VALUES (3, 1, 0, 0), (4, 3, 0, 0), (5, 4, 0, 0), (6, 5, 0, 0), (7, 6, 0, 0)',
  )
  await ask("INSERT INTO vendors(id, name, updated_at) VALUES (1, 'f5', ''), (2, 'dlink', '')")
  await ask(
    `INSERT INTO products(id, vendor_id, vendor, name, updated_at) VALUES (1, 1, 'f5', 'nginx', ''), (2, 2, 'dlink', 'dir-1', '')`,
  )
  await ask(
    'INSERT INTO vuln_products(vuln_id, product_id, vendor_id, since_seq, touched) VALUES (8, 1, 1, 0, 0), (9, 2, 2, 0, 0)',
  )
  await ask(`INSERT INTO inventory_matches VALUES ('package', 'vscode-extension', 'BigBlack/codo-ai', 1, 5, 6),
    ('package', 'github', 'tj-actions/changed-files', 1, 5, 7), ('package', 'golang', 'std', 1, 5, 8),
    ('package', 'composer', 'wpackagist-plugin/akismet', 1, 5, 9), ('package', 'nuget', 'NewtonSoft.Json', 1, 5, 10), ('product', 'nginx', 'nginx', 1, 5, 11),
    ('product', 'd-link', 'dir-1', 1, 5, 12)`)
  await applyD1Migrations(db, migrations)
  expect(await ask('SELECT id, name FROM packages ORDER BY id')).toEqual([
    { id: 1, name: 'bigblack/codo-ai' },
    { id: 2, name: 'A.b' },
    { id: 3, name: 'tj-actions/changed-files' },
    { id: 4, name: 'stdlib' },
    { id: 5, name: 'akismet' },
    { id: 6, name: 'newtonsoft.json' },
  ])
  expect(await ask('SELECT org_id, inventory_id, component_id, vuln_id FROM inventory_due')).toEqual([
    { org_id: 1, inventory_id: 5, component_id: 6, vuln_id: 3 },
    { org_id: 1, inventory_id: 5, component_id: 7, vuln_id: 4 },
    { org_id: 1, inventory_id: 5, component_id: 8, vuln_id: 5 },
    { org_id: 1, inventory_id: 5, component_id: 9, vuln_id: 6 },
    { org_id: 1, inventory_id: 5, component_id: 10, vuln_id: 7 },
    { org_id: 1, inventory_id: 5, component_id: 11, vuln_id: 8 },
    { org_id: 1, inventory_id: 5, component_id: 12, vuln_id: 9 },
  ])
})

test('organizations that an alert told of malice are noted for its all-clear, unless they heard it or were told nothing', async () => {
  await applyD1Migrations(
    db,
    migrations.slice(
      0,
      migrations.findIndex(({ name }) => /_night_marks\b/.test(name)),
    ),
  )
  for (const id of [1, 2, 3])
    await ask(`INSERT INTO orgs(id, name, slug, created_at) VALUES (${id}, 'a', 'a${id}', '')`)
  await ask(
    "INSERT INTO vulns(id, cveid, state, summary, updated_at, created_at) VALUES (4, 'MAL-2025-4', 'published', '', 0, 0)",
  )
  const [malicious, cleared] = [1 << 8, 1 << 9]
  await ask(`INSERT INTO alerts(org_id, vuln_id, change_seq, last_seq, rule, fired, suppressed, created_at, updated_at)
    VALUES (1, 4, 1, 1, 'malicious', ${malicious}, NULL, '', ''), (1, 4, 2, 2, 'fix', 1, NULL, '', ''),
      (2, 4, 1, 1, 'malicious', ${malicious}, NULL, '', ''), (2, 4, 2, 2, 'cleared', ${cleared}, NULL, '', ''),
      (3, 4, 1, 1, 'malicious', ${malicious}, 'snoozed', '', '')`)
  await applyD1Migrations(db, migrations)
  expect(await ask('SELECT org_id, vuln_id FROM summarized_malice')).toEqual([{ org_id: 1, vuln_id: 4 }])
})

test('the number of a row that was removed is never given again, or is no name outside', async () => {
  await applyD1Migrations(db, migrations)
  for (const { name, sql } of await listTables()) {
    const id = (await listColumns(name)).find((column) => column.name === 'id')
    if (!id || /\bAUTOINCREMENT\b/i.test(sql)) continue
    expect([name, otherwise[name] ?? 'has no reason']).toEqual([name, otherwise[name]])
  }
  // As the audit log names the user of number 9, nobody else gets it.
  const [made] = await ask<{ id: number }>(
    "INSERT INTO users(username, email, password_hash, created_at) VALUES ('a', 'a@b.example', '!', '') RETURNING id",
  )
  expect(made?.id).toBe(1)
  await ask('DELETE FROM users WHERE id = 1')
  const [next] = await ask<{ id: number }>(
    "INSERT INTO users(username, email, password_hash, created_at) VALUES ('b', 'b@b.example', '!', '') RETURNING id",
  )
  expect(next?.id).toBe(2)
})
