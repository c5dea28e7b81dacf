import type { Organization } from './organizations.ts'
import type { SimulatedWorld } from './world.ts'

type Alert = {
  data: { alert_id: number; organization: { name: string }; rule: string; vulnerability: { cveid: string | null } }
}
const readAlert = (body: string) => JSON.parse(body) as Alert

/** What must hold at any time; it looks only at what is new since it last looked. */
export class Watch {
  private readonly world: SimulatedWorld
  private readonly organizations: Organization[]
  private seen = { received: 0, mails: 0 }
  private readonly bodies = new Map<string, number>()
  private readonly ids = new Map<string, { highest: number; born: Map<number, string> }>()

  constructor(world: SimulatedWorld, organizations: Organization[]) {
    this.world = world
    this.organizations = organizations
  }

  look() {
    this.lookAtMessages()
    this.lookAtIds()
  }

  private lookAtMessages() {
    const { received, mails, problems } = this.world
    for (const { org, id, body } of received.slice(this.seen.received)) {
      const { data } = readAlert(body)
      const owner = this.organizations.find(({ name }) => name === org)
      if (data.organization.name !== org) problems.push(`${org} receives what belongs to ${data.organization.name}`)
      owner?.expectOwn(`message ${id}`, body)
      const known = this.bodies.get(`${org} ${id}`)
      if (known !== undefined && known !== data.alert_id)
        problems.push(`Message ${id} of ${org} tells of alert ${known} and of alert ${data.alert_id}`)
      this.bodies.set(`${org} ${id}`, data.alert_id)
    }
    for (const mail of mails.slice(this.seen.mails)) {
      const owner = this.organizations.find(({ name }) => mail.to.endsWith(`@${name}.test`))
      owner?.expectOwn(`the mail ${mail.subject}`, mail.html + mail.text)
    }
    this.seen = { received: received.length, mails: mails.length }
  }

  /** A number that was given stands for the same thing for ever. */
  private lookAtIds() {
    for (const { table, identity } of numbered) {
      const known = this.ids.get(table) ?? { highest: 0, born: new Map<number, string>() }
      this.ids.set(table, known)
      for (const row of this.world.rows<{ id: number; who: string }>(`SELECT id, ${identity} AS who FROM ${table}`)) {
        const before = known.born.get(row.id)
        if (before !== undefined && before !== row.who)
          this.world.problems.push(`${table} ${row.id} was "${before}" and is "${row.who}"`)
        if (before === undefined && row.id <= known.highest)
          this.world.problems.push(`${table} ${row.id} is given after ${known.highest}`)
        known.born.set(row.id, row.who)
      }
      known.highest = Math.max(known.highest, ...known.born.keys())
    }
  }
}

const numbered = [
  { table: 'users', identity: 'created_at' },
  { table: 'sessions', identity: "user_id || ' ' || created_at" },
  { table: 'saved_views', identity: "org_id || ' ' || created_at" },
  { table: 'api_tokens', identity: 'token_hash' },
  { table: 'alerts', identity: "org_id || ' ' || vuln_id || ' ' || created_at" },
  { table: 'comments', identity: "org_id || ' ' || body || created_at" },
]

/** What must hold once the world has settled: nothing waits, and everything derived is as if it were derived now. */
export function checkSettled(
  world: SimulatedWorld,
  expected: Map<string, { product: string; score: number; isRejected: boolean }>,
) {
  const { problems } = world
  for (const { what, n } of world.rows<{ what: string; n: number }>(waiting))
    if (n > 0) problems.push(`${n} ${what} after everything settled`)
  for (const [cveid, { score, isRejected }] of expected) {
    const [row] = world.rows<{ cvss3: number | null; state: string }>(
      'SELECT cvss3, state FROM vulns WHERE cveid = ?',
      cveid,
    )
    if (!row && !isRejected) problems.push(`${cveid} was published and is not here`)
    if (!row) continue
    if ((row.state === 'rejected') !== isRejected)
      problems.push(`${cveid} is ${row.state}, but its publisher says ${isRejected ? 'rejected' : 'published'}`)
    if (!isRejected && row.cvss3 !== score)
      problems.push(`${cveid} scores ${row.cvss3}, but its publisher says ${score}`)
  }
  for (const { what, kept, real } of world.rows<{ what: string; kept: number; real: number }>(counted))
    if (kept !== real) problems.push(`${what}: ${kept} are counted, and there are ${real}`)
  for (const row of world.rows<{ org: string; cveid: string; told: number }>(wrongWatch))
    problems.push(`${row.org} ${row.told ? 'is said to monitor' : 'is not said to monitor'} ${row.cveid}`)
  for (const { org_id, day, body } of world.rows<{ org_id: number; day: string; body: string }>(
    'SELECT * FROM alert_proofs',
  )) {
    const { lost, doubled } = JSON.parse(body) as { lost: number; doubled: number }
    if (lost > 0 || doubled > 0)
      problems.push(`The proof of organization ${org_id} on ${day} counts ${lost} lost and ${doubled} doubled`)
  }
  for (const { name, last_error } of world.rows<{ name: string; last_error: string }>(
    'SELECT name, last_error FROM clock_jobs WHERE failed_at IS NOT NULL',
  ))
    problems.push(`The clock's job ${name} fails: ${last_error}`)
}

const waiting = `
  SELECT 'deliveries wait' AS what, count(*) AS n FROM deliveries WHERE status IN ('pending', 'sending')
  UNION ALL SELECT 'mails wait', count(*) FROM mails WHERE status IN ('pending', 'sending')
  UNION ALL SELECT 'feeds run', count(*) FROM feeds WHERE state = 'running'`

const shown = "FROM vulns v WHERE v.org_id IS NULL AND v.state <> 'rejected'"
const counted = `
  SELECT 'Vulnerabilities' AS what, (SELECT value FROM counters WHERE name = 'vulns') AS kept, (SELECT count(*) ${shown}) AS real
  UNION ALL SELECT 'Exploitable ones', (SELECT value FROM counters WHERE name = 'vulns_exploitable'),
    (SELECT count(*) ${shown} AND v.is_exploitable)
  UNION ALL SELECT 'Texts that a search finds', (SELECT count(*) FROM vulns_fts WHERE vulns_fts MATCH 'cveid : cve'),
    (SELECT count(*) ${shown} AND v.cveid IS NOT NULL)
  UNION ALL SELECT 'Vulnerabilities of ' || p.name, p.vulns_count, (SELECT count(*) ${shown} AND EXISTS (
    SELECT 1 FROM vuln_products l WHERE l.vuln_id = v.id AND l.product_id = p.id)) FROM products p`

/** What the watchlist alone says, against what is stored of it: a row for each difference. A version may be safe, and is left out. */
const wrongWatch = `
  WITH listed(org_id, vuln_id) AS (
    SELECT m.org_id, l.vuln_id FROM monitored_products m JOIN vuln_products l ON l.product_id = m.product_id
    WHERE m.is_monitored AND m.versions IS NULL)
  SELECT o.name AS org, v.cveid, 0 AS told FROM listed s JOIN orgs o ON o.id = s.org_id JOIN vulns v ON v.id = s.vuln_id
    WHERE v.state <> 'rejected' AND (v.org_id IS NULL OR v.org_id = s.org_id)
      AND NOT EXISTS (SELECT 1 FROM org_vulns w WHERE w.org_id = s.org_id AND w.vuln_id = s.vuln_id)
  UNION ALL
  SELECT o.name, v.cveid, 1 FROM org_vulns w JOIN orgs o ON o.id = w.org_id JOIN vulns v ON v.id = w.vuln_id
    WHERE NOT EXISTS (SELECT 1 FROM inventory_vulns i WHERE i.org_id = w.org_id AND i.vuln_id = w.vuln_id)
      AND NOT EXISTS (SELECT 1 FROM monitored_products m JOIN vuln_products l ON l.product_id = m.product_id
        WHERE m.org_id = w.org_id AND l.vuln_id = w.vuln_id AND m.is_monitored)`
