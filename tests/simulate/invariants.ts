import type { DayProof } from '../../worker/alerts/proof/contract.ts'
import type { ReceivedMessage } from './network.ts'
import type { Organization } from './organizations.ts'
import type { Knowledge } from './knowledge.ts'
import type { SimulatedWorld } from './world.ts'

type Alert = {
  data: { alert_id?: number; organization: { name: string }; rule: string; vulnerability: { cveid: string | null } }
}
const readAlert = (body: string) => JSON.parse(body) as Alert

/** What must hold at any time; it looks only at what is new since it last looked. */
export class Watch {
  private readonly world: SimulatedWorld
  private readonly everybody: () => Organization[]
  private seen = { received: 0, mails: 0 }
  private readonly taken = new Map<string, ReceivedMessage & { alert_id: number }>()
  private readonly ids = new Map<string, { highest: number; born: Map<number, string> }>()

  constructor(world: SimulatedWorld, everybody: () => Organization[]) {
    this.world = world
    this.everybody = everybody
  }

  look() {
    this.lookAtMessages()
    this.lookAtIds()
    for (const { id } of this.world.rows<{ id: string }>(countedTwice))
      this.world.problems.push(`A step of the feed ${id} counts twice`)
  }

  private lookAtMessages() {
    const { received, mails, problems } = this.world
    for (const message of received.slice(this.seen.received)) {
      const { org, id, body } = message
      const { data } = readAlert(body)
      if (data.alert_id === undefined) continue
      const owner = this.everybody().find(({ name }) => name === org)
      if (data.organization.name !== org) problems.push(`${org} receives what belongs to ${data.organization.name}`)
      owner?.expectOwn(`message ${id}`, body)
      const before = this.taken.get(`${org} ${id}`)
      if (before && before.alert_id !== data.alert_id)
        problems.push(`Message ${id} of ${org} tells of alert ${before.alert_id} and of alert ${data.alert_id}`)
      // A sender that heard that it was taken, lived on and had no other trouble has noted it; one that stood still or is far heard of nothing.
      const isNoted = before?.isTold && before.sender && !before.sender.isDead && !before.sender.hasFault
      if (message.isTold && isNoted && !message.sender?.asleep_until_ms && !message.sender?.isFar)
        problems.push(`Message ${id} of ${org} was taken, and is sent again`)
      this.taken.set(`${org} ${id}`, { ...message, alert_id: data.alert_id })
    }
    for (const mail of mails.slice(this.seen.mails)) {
      const owner = this.everybody().find(({ name }) => mail.to.endsWith(`@${name}.test`))
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

const countedTwice = `SELECT f.id FROM feeds f JOIN feed_runs r ON r.id = f.run_id WHERE f.state = 'idle' AND r.steps > f.step + 1`

const numbered = [
  { table: 'orgs', identity: 'name' },
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
  { records, aliases, kev }: Pick<Knowledge, 'records' | 'aliases' | 'kev'>,
) {
  const { problems } = world
  const now = new Date(world.scheduler.now_ms).toISOString().slice(0, 19)
  for (const { what, n } of world.rows<{ what: string; n: number }>(waiting, now))
    if (n > 0) problems.push(`${n} ${what} after everything settled`)
  for (const { what, n } of [...world.rows<{ what: string; n: number }>(mustBeNone, now), ...countLeft(world)])
    if (n > 0) problems.push(`${n} ${what}`)
  for (const id of world.network.advisories.keys())
    if (!world.rows(standsUnder, id, aliases.get(id) ?? id).length)
      problems.push(`${id} was published and does not stand under ${aliases.get(id) ?? 'its own id'}`)
  const advised = new Set(aliases.values())
  for (const { org, cveid } of world.rows<{ org: string; cveid: string }>(toldTwice, JSON.stringify([...aliases])))
    problems.push(`${org} was told of an advisory, and of ${cveid}, which it became, as if that were new`)
  const taken = new Set(world.received.map(({ org, id }) => `${org} ${id}`))
  for (const { sent } of world.rows<{ sent: string }>(sentMessages, world.began))
    if (!taken.has(sent)) problems.push(`Message ${sent} counts as sent, and its receiver never took it`)
  for (const [cveid, { score, isRejected }] of records) {
    const [row] = world.rows<{ cvss3: number | null; state: string; is_kev: number }>(
      'SELECT cvss3, state, kev_added_at IS NOT NULL AS is_kev FROM vulns WHERE cveid = ?',
      cveid,
    )
    if (!row && !isRejected) problems.push(`${cveid} was published and is not here`)
    if (!row) continue
    // Another source may stand by it.
    if ((row.state === 'rejected') !== isRejected && !advised.has(cveid))
      problems.push(`${cveid} is ${row.state}, but its publisher says ${isRejected ? 'rejected' : 'published'}`)
    if (!isRejected && row.cvss3 !== score)
      problems.push(`${cveid} scores ${row.cvss3}, but its publisher says ${score}`)
    if (!isRejected && Boolean(row.is_kev) !== kev.has(cveid))
      problems.push(
        `${cveid} ${row.is_kev ? 'counts' : 'does not count'} as exploited, but its publisher says otherwise`,
      )
  }
  for (const { what, kept, real } of world.rows<{ what: string; kept: number; real: number }>(counted))
    if (kept !== real) problems.push(`${what}: ${kept} are counted, and there are ${real}`)
  for (const row of world.rows<{ org: string; cveid: string; told: number }>(wrongWatch))
    problems.push(`${row.org} ${row.told ? 'is said to monitor' : 'is not said to monitor'} ${row.cveid}`)
  for (const { org_id, day, body } of world.rows<{ org_id: number; day: string; body: string }>(
    'SELECT * FROM alert_proofs',
  )) {
    const { lost, doubled, unasked, differences } = JSON.parse(body) as DayProof
    if (lost > 0 || doubled > 0 || unasked > 0)
      problems.push(
        `The proof of organization ${org_id} on ${day} counts ${lost} lost, ${doubled} doubled and ${unasked} unasked: ${JSON.stringify(differences)}`,
      )
  }
  for (const { name, last_error } of world.rows<{ name: string; last_error: string }>(
    'SELECT name, last_error FROM clock_jobs WHERE failed_at IS NOT NULL',
  ))
    problems.push(`The clock's job ${name} fails: ${last_error}`)
}

/** Rows of organizations that are no more. */
const countLeft = (world: SimulatedWorld) =>
  world
    .rows<{ name: string }>(
      `SELECT t.name FROM sqlite_master t JOIN pragma_table_info(t.name) c ON c.name = 'org_id' WHERE t.type = 'table'`,
    )
    .flatMap(({ name }) =>
      world.rows<{ what: string; n: number }>(
        `SELECT 'rows of ${name} belong to an organization that is no more' AS what, count(*) AS n
         FROM ${name} WHERE org_id > 0 AND org_id NOT IN (SELECT id FROM orgs)`,
      ),
    )

/** An organization on trial invites so many in all, sends details to so many strangers, and writes so many mails in an hour; a person has so many views and tokens. */
const most = { onTrial: 10, trialDay: 20, own: 50 }
/** A refused message is tried so often, over days. */
const tries = { webhook: 10, mail: 7 }
/** Mails to strangers of organizations on trial. */
const strangers = `FROM mails m JOIN orgs o ON o.trial_ends_at IS NOT NULL AND substr(m."to", instr(m."to", '@')) = '@' || o.name || '.test'
    AND m."to" NOT GLOB '*_boss@*'`

/** Swept each night. */
const pruned = (table: string, column: string, days: number) =>
  `SELECT 'rows of ${table} are never swept' AS what, count(*) AS n FROM ${table} WHERE ${column} < strftime('%Y-%m-%dT%H:%M:%SZ', ?1, '-${days} days')`

const mustBeNone = `
  ${pruned('sessions', 'expires_at', 1)}
  UNION ALL ${pruned('challenges', 'expires_at', 1)}
  UNION ALL ${pruned('links', 'expires_at', 31)}
  UNION ALL ${pruned('refresh_tokens', 'used_at', 8)}
  UNION ALL
  SELECT 'decisions stand on records that became part of others' AS what, count(*) AS n FROM decisions d JOIN vulns v ON v.id = d.vuln_id
    WHERE v.org_id IS NULL AND NOT EXISTS (SELECT 1 FROM vuln_records r WHERE r.vuln_id = v.id)
  UNION ALL SELECT 'names or addresses are those of two users', count(*) - min(count(DISTINCT lower(username)), count(DISTINCT lower(email))) FROM users
  UNION ALL SELECT 'organizations were founded by a link that was used before', count(*) - count(DISTINCT name) FROM orgs
  UNION ALL SELECT 'organizations on trial invited too many', count(*) FROM (
    SELECT 1 FROM links l JOIN orgs o ON o.id = l.org_id AND o.trial_ends_at IS NOT NULL WHERE l.kind = 'invitation'
    GROUP BY o.id HAVING count(*) > ${most.onTrial})
  UNION ALL SELECT 'organizations on trial sent details to too many', count(*) FROM (
    SELECT 1 ${strangers} AND m.kind = 'vuln_details' GROUP BY o.id HAVING count(*) > ${most.onTrial})
  UNION ALL SELECT 'organizations on trial sent too many mails in an hour or a day', count(*) FROM (
    SELECT 1 ${strangers} AND m.kind IN ('invitation', 'vuln_details') GROUP BY o.id, substr(m.created_at, 1, 13) HAVING count(*) > ${most.onTrial}
    UNION ALL SELECT 1 ${strangers} AND m.kind IN ('invitation', 'vuln_details') GROUP BY o.id, substr(m.created_at, 1, 10) HAVING count(*) > ${most.trialDay})
  UNION ALL SELECT 'people have too many views or tokens', count(*) FROM (
    SELECT user_id FROM saved_views GROUP BY user_id HAVING count(*) > ${most.own}
    UNION ALL SELECT user_id FROM api_tokens GROUP BY user_id HAVING count(*) > ${most.own})
  UNION ALL SELECT 'views have the name of another one', count(*) - count(DISTINCT org_id || ' ' || user_id || ' ' || name) FROM saved_views
  UNION ALL SELECT 'vulnerabilities are not what their records say', coalesce(sum(changed), 0) FROM feed_runs WHERE feed_id = 'remerge'
  UNION ALL SELECT 'messages were given up before their last try', count(*) FROM deliveries
    WHERE status = 'dead' AND attempts < iif(channel = 'webhook', ${tries.webhook}, ${tries.mail})
  UNION ALL SELECT 'reports were mailed twice', count(*) FROM orgs o WHERE
    (SELECT count(*) FROM mails m WHERE m."to" = o.name || '@' || o.name || '.test' AND m.kind = 'report_daily')
      > (SELECT count(*) FROM reports r WHERE r.org_id = o.id AND r.kind = 'daily')
  UNION ALL SELECT 'organizations wait for reports of which none is due', count(*) FROM alert_settings s JOIN orgs o ON o.id = s.org_id
    WHERE s.daily_report AND NOT EXISTS (SELECT 1 FROM report_dues d WHERE d.org_id = s.org_id AND d.kind = 'daily')`

/** Told of a record that became part of another, and once more. */
const toldTwice = `
  SELECT o.name AS org, v.cveid FROM json_each(?1) p JOIN vulns v ON v.cveid = p.value ->> 1 LEFT JOIN vulns w ON w.cveid = p.value ->> 0
    CROSS JOIN alerts a ON a.vuln_id = v.id AND a.rule = 'new' CROSS JOIN alerts b ON b.org_id = a.org_id AND b.vuln_id = coalesce(w.id, v.id) AND b.rule = 'new'
    CROSS JOIN vuln_changes c ON c.seq = a.change_seq AND c.kind <> 'new' CROSS JOIN orgs o ON o.id = a.org_id
  WHERE a.suppressed IS NULL AND b.suppressed IS NULL AND b.id < a.id
    AND coalesce((SELECT max(r.at) FROM vuln_changes r WHERE r.vuln_id = w.id), '') <= c.at`
const standsUnder =
  "SELECT 1 FROM vuln_records r JOIN vulns v ON v.id = r.vuln_id WHERE r.source = 'ghsa/' || ?1 AND v.cveid = ?2"
const sentMessages = `
  SELECT o.name || ' msg_' || d.id AS sent FROM deliveries d JOIN orgs o ON o.id = d.org_id
  WHERE d.channel = 'webhook' AND d.status = 'sent' AND d.sent_at >= ?1`

const waiting = `
  SELECT 'organizations wait for their verdicts' AS what, count(DISTINCT org_id) AS n FROM inventory_due
  UNION ALL SELECT 'organizations wait for their alerts', count(*) FROM alert_waits
  UNION ALL SELECT 'reports are late', count(*) FROM report_dues WHERE due_at < strftime('%Y-%m-%dT%H:%M:%SZ', ?1, '-1 hour')
  UNION ALL SELECT 'deliveries wait', count(*) FROM deliveries WHERE status IN ('pending', 'sending')
  UNION ALL SELECT 'mails wait', count(*) FROM mails WHERE status IN ('pending', 'sending')
  UNION ALL SELECT 'feeds run', count(*) FROM feeds WHERE state = 'running'`

const shown = "FROM vulns v WHERE v.org_id IS NULL AND v.state <> 'rejected'"
const counted = `
  SELECT 'Vulnerabilities' AS what, (SELECT value FROM counters WHERE name = 'vulns') AS kept, (SELECT count(*) ${shown}) AS real
  UNION ALL SELECT 'Exploitable ones', (SELECT value FROM counters WHERE name = 'vulns_exploitable'),
    (SELECT count(*) ${shown} AND v.is_exploitable)
  UNION ALL SELECT 'Texts that a search finds', (SELECT count(*) FROM vulns_fts WHERE vulns_fts MATCH 'cveid : (cve OR ghsa)'),
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
        WHERE m.org_id = w.org_id AND l.vuln_id = w.vuln_id AND m.is_monitored)
      AND NOT EXISTS (SELECT 1 FROM monitored_packages m JOIN vuln_packages l ON l.package_id = m.package_id
        WHERE m.org_id = w.org_id AND l.vuln_id = w.vuln_id)`
