import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { openWorkerModules } from '../../scripts/worker-modules.ts'
import type { Figure } from './figures.ts'
import { asD1 } from './sqlite-d1.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata']
const due = '2026-11-16T07:00:00Z'
/** The first reports only compile the code, as in a worker that has been running. */
const [warmUp, earlier] = ['2026-11-16T06:00:00Z', 100]
/** How many vulnerabilities an organization monitors, how many of them changed in the period, and how many there are. */
const [perOrg, changedPerOrg, catalogue] = [200, 20, 2_000]

type Maker = {
  openDb: (env: object) => unknown
  createDueReports: (env: object, db: unknown, clock: () => Date) => Promise<void>
  reportMail: (
    facts: object,
    links: object,
  ) => Promise<{ html: (f: string) => Promise<string>; text: (f: string) => string }>
}

/** The CPU time of all due reports with their mails, compared with rendering alone. */
export async function measureReports(orgs = 1_000): Promise<Figure[]> {
  const server = await openWorkerModules()
  const load = (file: string) => server.ssrLoadModule(file) as Promise<Maker>
  const { openDb } = await load('/worker/db/open.ts')
  const { createDueReports } = await load('/worker/alerts/reports/make.ts')
  const { reportMail } = await load('/worker/alerts/reports/mail.ts')
  const file = fillDatabase(orgs + earlier)
  const env = {
    DB: asD1(file),
    APP_URL: 'https://earshot.example',
    MAIL_FROM: 'alerts@earshot.example',
    DELIVERIES: { send: async () => undefined },
  }

  const makeUntil = async (at: string) => {
    while (file.prepare('SELECT 1 FROM report_dues WHERE due_at <= ? LIMIT 1').get(at))
      await createDueReports(env, openDb(env), () => new Date(at))
  }
  // Warms up both sides.
  await makeUntil(warmUp)
  file.exec(`DELETE FROM reports; DELETE FROM mails; DELETE FROM report_dues WHERE org_id <= ${earlier}`)
  const made_ms = await cpu(() => makeUntil(due))
  const facts = file
    .prepare('SELECT facts FROM reports')
    .all()
    .map((row) => JSON.parse(String(row.facts)) as object)
  const mails = Number(file.prepare('SELECT count(*) AS count FROM mails').get()?.count)
  const links = { app_url: env.APP_URL, report_url: `${env.APP_URL}/reports/daily/2026-11-16` }
  const render = async () => {
    for (const one of facts) {
      const mail = await reportMail(one, links)
      await mail.html('You receive this.')
      mail.text('You receive this.')
    }
  }
  await render()
  const bare_ms = await cpu(render)
  await server.close()
  file.close()
  const figure = (ms: number) => `${(ms / 1_000).toFixed(2)} s of CPU`
  return [
    { what: `${facts.length} reports due at once, ${mails} mails`, figure: figure(made_ms) },
    { what: 'rendering them bare', figure: figure(bare_ms) },
    { what: 'the one beside the other', figure: `${(made_ms / bare_ms).toFixed(2)} times`, bound: '5 times' },
  ]
}

async function cpu(work: () => Promise<void>) {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** The deployed schema with organizations that each watch another part of the same catalogue. */
function fillDatabase(orgs: number) {
  const file = new DatabaseSync(':memory:')
  const folder = join(root, 'migrations')
  for (const name of readdirSync(folder)
    .filter((one) => one.endsWith('.sql'))
    .sort())
    file.exec(readFileSync(join(folder, name), 'utf8').replaceAll('--> statement-breakpoint', ''))
  const count = (last: number) => `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${last})`
  const at = '2026-11-16T05:00:00Z'
  file.exec('PRAGMA foreign_keys = OFF')
  file.exec(`${count(catalogue)} INSERT INTO products(id, vendor_id, vendor, name, updated_at)
    SELECT i, 1, 'vendor' || i % 50, 'product' || i, '${at}' FROM n`)
  file.exec(`${count(catalogue)} INSERT INTO vulns(id, cveid, state, summary, score, cvss3, epss, top_products, created_at, updated_at)
    SELECT i, 'CVE-2026-' || (10000 + i), 'published', 'A flaw of a product lets a visitor read what is not theirs: ' || i,
      i % 100, (i % 100) / 10.0, (i % 100) / 100.0, '[]', 0, unixepoch('${at}') FROM n`)
  file.exec(
    `${count(catalogue)} INSERT INTO vuln_products(vuln_id, product_id, vendor_id, since_seq, touched) SELECT i, i, 1, 0, 0 FROM n`,
  )
  file.exec(`${count(catalogue)} INSERT INTO vuln_changes(vuln_id, at, kind, source, detail)
    SELECT i, '${at}', 'updated', 'nvd', '[{"field":"cvss3","from":5,"to":7.5},{"field":"is_exploitable","to":true}]' FROM n
    WHERE i % ${perOrg / changedPerOrg} = 0`)
  file.exec(
    "INSERT INTO counters(name, value) VALUES ('alerts_planned_to', 1000000) ON CONFLICT DO UPDATE SET value = 1000000",
  )
  file.exec(
    `${count(orgs)} INSERT INTO orgs(id, name, slug, created_at) SELECT i, 'Org ' || i, 'org-' || i, '${at}' FROM n`,
  )
  file.exec(`${count(orgs)} INSERT INTO users(id, username, email, password_hash, is_active, email_verified_at, created_at)
    SELECT i, 'user' || i, 'user' || i || '@example.org', '', 1, '${at}', '${at}' FROM n`)
  file.exec(`${count(orgs)} INSERT INTO members(org_id, user_id) SELECT i, i FROM n`)
  const zone = zones.map((name, place) => `WHEN ${place} THEN '${name}'`).join(' ')
  file.exec(`${count(orgs)} INSERT INTO alert_settings(org_id, alerts_emails, daily_report, time_zone)
    SELECT i, json_array('user' || i || '@example.org'), 1, CASE i % ${zones.length} ${zone} END FROM n`)
  file.exec(
    `${count(orgs)} INSERT INTO report_dues(due_at, org_id, kind) SELECT iif(i > ${earlier}, '${due}', '${warmUp}'), i, 'daily' FROM n`,
  )
  const each = `FROM orgs o, (${count(perOrg)} SELECT i FROM n) m`
  const item = `1 + (o.id * 7 + m.i) % ${catalogue}`
  file.exec(
    `INSERT INTO monitored_products(org_id, product_id, is_monitored, created_at) SELECT o.id, ${item}, 1, '${at}' ${each}`,
  )
  file.exec(`INSERT INTO org_vulns(org_id, vuln_id, touched)
    SELECT o.id, ${item}, iif((${item}) % ${perOrg / changedPerOrg} = 0, unixepoch('${at}'), 0) ${each}`)
  file.exec('ANALYZE')
  return file
}
