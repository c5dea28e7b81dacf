import { countedTables } from '../support/stored-counts.ts'
import type { ReceivedMessage } from './network.ts'
import type { SimulatedWorld } from './world.ts'

type Told = { data: { alert_id?: number; organization: { name: string } } }
/** Rules that hold at any time: looks at what is new since it last looked. */
export function watchOver(world: SimulatedWorld) {
  const { received, mails, problems, everybody } = world
  let seen = { received: 0, mails: 0 }
  const taken = new Map<string, ReceivedMessage>()
  const born = new Map<string, string | number>()
  const expectSame = (what: string, who: string | number) => {
    const before = born.get(what) ?? who
    if (before !== who) problems.push(`${what} was "${before}" and is "${who}"`)
    born.set(what, who)
  }

  const lookAt = (message: ReceivedMessage) => {
    const { org, id, body, isTold, sender } = message
    const { alert_id, organization } = (JSON.parse(body) as Told).data
    if (alert_id === undefined) return
    const what = `the message ${id} of ${org}`
    if (organization.name !== org) problems.push(`${org} receives what belongs to ${organization.name}`)
    everybody.find(({ name }) => name === org)?.expectOwn(what, body)
    expectSame(what, alert_id)
    const before = taken.get(what)
    // A sender that heard that it was taken, lived on and had no other trouble has noted it; one that stood still or is far heard of nothing.
    const isNoted = before?.isTold && before.sender && !before.sender.isDead && !before.sender.hasFault
    if (isNoted && isTold && !sender?.isLate) problems.push(`${what} was taken, and is sent again`)
    taken.set(what, message)
  }

  return () => {
    for (const message of received.slice(seen.received)) lookAt(message)
    for (const { to, subject, html, text } of mails.slice(seen.mails))
      everybody.find(({ name }) => to.endsWith(`@${name}.test`))?.expectOwn(`the mail ${subject}`, html + text)
    seen = { received: received.length, mails: mails.length }
    for (const feed of world.rows(countedTwice)) problems.push(`A step counts twice of ${JSON.stringify(feed)}`)
    // A number that was given stands for the same thing for ever.
    for (const [table, identity] of Object.entries(numbered))
      for (const { id, who } of world.rows<{ id: number; who: string }>(`SELECT id, ${identity} AS who FROM ${table}`))
        expectSame(`${table} ${id}`, who)
  }
}

const countedTwice = `SELECT f.id FROM feeds f JOIN feed_runs r ON r.id = f.run_id WHERE f.state = 'idle' AND r.steps > f.step + 1`

/** The rows that a number stands for. */
const numbered = {
  orgs: 'name',
  users: 'created_at',
  sessions: "user_id || ' ' || created_at",
  saved_views: "org_id || ' ' || created_at",
  api_tokens: 'token_hash',
  alerts: "org_id || ' ' || vuln_id || ' ' || created_at",
  comments: "org_id || ' ' || body || created_at",
}

/** Rules that hold once the world has settled: nothing waits, and everything derived is as if it were derived now. */
export function checkSettled({ rows, problems, received, began, knowledge, iso }: SimulatedWorld) {
  const taken = received.map(({ org, id }) => `${org} ${id}`)
  const [records, advisories] = [[...knowledge.records.values()], [...knowledge.advisories.values()]]
  const facts = JSON.stringify({ began, now: iso(), taken, records, advisories })
  const owned = rows<{ name: string }>(ownedTables).map(({ name }) => [
    `a row of ${name} belongs to an organization that is no more`,
    `SELECT org_id FROM ${name} WHERE org_id > 0 AND org_id NOT IN (SELECT id FROM orgs)`,
  ])
  for (const [what, sql] of [...Object.entries(wrong), ...owned])
    for (const row of rows<object>(`${told} ${sql}`, facts)) problems.push(`${what}: ${JSON.stringify(row)}`)
}

const ownedTables = `
  SELECT t.name FROM sqlite_master t JOIN pragma_table_info(t.name) c ON c.name = 'org_id' WHERE t.type = 'table'`

/** The simulator's own knowledge. */
const told = `
  WITH now(at) AS (SELECT ?1 ->> 'now'), taken(message) AS (SELECT value FROM json_each(?1, '$.taken')),
  published AS (SELECT value ->> 'id' AS cveid, value ->> 'score' AS score, value ->> 'isRejected' AS is_rejected,
    value ->> 'isKev' AS is_kev, value ->> 'isAdvised' AS is_advised FROM json_each(?1, '$.records')),
  advisories AS (SELECT value ->> 'id' AS id, value ->> 'cveid' AS cveid FROM json_each(?1, '$.advisories'))`

const ago = (time: string) => `strftime('%Y-%m-%dT%H:%M:%SZ', (SELECT at FROM now), '-${time}')`
const neverSwept = (table: string, column: string, time: string) =>
  `SELECT ${column} FROM ${table} WHERE ${column} < ${ago(time)}`
const listTwins = (table: string, key: string) => `SELECT ${key} AS twins FROM ${table} GROUP BY 1 HAVING count(*) > 1`
const listMany = (what: string, key: string, most: number) =>
  `SELECT ${key} AS many, count(*) AS n ${what} GROUP BY 1 HAVING n > ${most}`
const within = (time: string) => `o.id || ' ' || strftime('${time}', m.created_at)`
const trial = '(SELECT * FROM orgs WHERE trial_ends_at IS NOT NULL) o'
const invitations = `FROM ${trial} JOIN links m ON m.org_id = o.id AND m.kind = 'invitation'`
/** Mails to strangers of organizations on trial. */
const strangers = `FROM ${trial} JOIN mails m ON substr(m."to", instr(m."to", '@')) = '@' || o.name || '.test'
  AND m."to" NOT GLOB '*_boss@*' AND m.kind IN ('invitation', 'vuln_details')`
const shown = "FROM vulns v WHERE v.org_id IS NULL AND v.state <> 'rejected'"
const counted = (name: string, real: string) =>
  `SELECT value, (${real}) AS real FROM counters WHERE name = '${name}' AND value <> real`
const tiedBefore = (kind: string) =>
  `SELECT m.org_id FROM monitored_${kind}s m JOIN vuln_${kind}s l USING (${kind}_id) WHERE l.vuln_id = v.id AND l.since_seq < c.seq`
const linked = (kind: string) =>
  `SELECT m.org_id, l.vuln_id FROM monitored_${kind}s m JOIN vuln_${kind}s l USING (${kind}_id)`

export const messagesWaiting = `
  SELECT * FROM (SELECT 'message', id, status FROM deliveries UNION ALL SELECT 'mail', id, status FROM mails)
  WHERE status IN ('pending', 'sending')`

/** Rows that must not be: each one found is wrong. */
const wrong = {
  'an organization waits': 'SELECT org_id FROM inventory_due UNION SELECT org_id FROM alert_waits',
  'a report is late': `SELECT org_id, due_at FROM report_dues WHERE due_at < ${ago('1 hour')}`,
  'a message or mail waits': messagesWaiting,
  'a feed runs': "SELECT id FROM feeds WHERE state = 'running'",
  'a session is never swept': neverSwept('sessions', 'expires_at', '1 day'),
  'a challenge is never swept': neverSwept('challenges', 'expires_at', '1 day'),
  'a link is never swept': neverSwept('links', 'expires_at', '31 days'),
  'a refresh token is never swept': neverSwept('refresh_tokens', 'used_at', '8 days'),
  'a job of the clock fails': 'SELECT name, last_error FROM clock_jobs WHERE failed_at IS NOT NULL',
  'the proof of a day counts what was lost, doubled or not asked for': `
    SELECT * FROM alert_proofs WHERE body ->> 'lost' > 0 OR body ->> 'doubled' > 0 OR body ->> 'unasked' > 0`,
  'two users have one name': listTwins('users', 'lower(username)'),
  'two users have one address': listTwins('users', 'lower(email)'),
  'an organization was founded twice': listTwins('orgs', 'name'),
  'two views of a person have one name': listTwins('saved_views', "org_id || ' ' || user_id || ' ' || name"),
  'a person has too many views': listMany('FROM saved_views', 'user_id', 50),
  'a person has too many tokens': listMany('FROM api_tokens', 'user_id', 50),
  'an organization on trial invited too many': listMany(invitations, 'o.id', 10),
  'an organization on trial sent details to too many': listMany(`${strangers} AND m.kind = 'vuln_details'`, 'o.id', 10),
  'an organization on trial sent too many mails in an hour': listMany(strangers, within('%Y-%m-%d %H'), 10),
  'an organization on trial sent too many mails in a day': listMany(strangers, within('%Y-%m-%d'), 20),
  // A refused message is tried so often, over days.
  'a message was given up before its last try': `
    SELECT id, attempts FROM deliveries WHERE status = 'dead' AND attempts < iif(channel = 'webhook', 10, 7)`,
  'a message counts as sent, and its receiver never took it': `
    SELECT o.name || ' msg_' || d.id AS message FROM deliveries d JOIN orgs o ON o.id = d.org_id
    WHERE d.channel = 'webhook' AND d.status = 'sent' AND d.sent_at >= ?1 ->> 'began' AND message NOT IN taken`,
  'a report was mailed twice': `
    SELECT o.name FROM orgs o WHERE
      (SELECT count(*) FROM mails m WHERE m."to" = o.name || '@' || o.name || '.test' AND m.kind = 'report_daily')
        > (SELECT count(*) FROM reports r WHERE r.org_id = o.id AND r.kind = 'daily')`,
  'an organization waits for reports of which none is due': `
    SELECT s.org_id FROM alert_settings s JOIN orgs o ON o.id = s.org_id
    WHERE s.daily_report AND NOT EXISTS (SELECT 1 FROM report_dues d WHERE d.org_id = s.org_id AND d.kind = 'daily')`,
  'a published record is not here': `
    SELECT cveid FROM published WHERE NOT is_rejected AND cveid NOT IN (SELECT cveid FROM vulns WHERE cveid IS NOT NULL)`,
  // Another source may stand by what is rejected.
  'a vulnerability is not what its publisher says': `
    SELECT p.*, v.state, v.cvss3, v.kev_added_at FROM published p JOIN vulns v ON v.cveid = p.cveid
    WHERE (v.state = 'rejected') <> p.is_rejected AND NOT p.is_advised
      OR NOT p.is_rejected AND (v.cvss3 IS NOT p.score OR (v.kev_added_at IS NOT NULL) <> p.is_kev)`,
  'a published record does not stand under its CVE': `
    SELECT a.* FROM advisories a WHERE NOT EXISTS (SELECT 1 FROM vuln_records r JOIN vulns v ON v.id = r.vuln_id
      WHERE r.source = 'ghsa/' || a.id AND v.cveid = a.cveid)`,
  // Unless it names something no more, or is judged not to affect what runs, by which they were told the first time.
  'an organization was told of an advisory, and of the CVE that it became, as if that were new': `
    SELECT a.org_id, v.cveid FROM advisories p JOIN vulns v ON v.cveid = p.cveid AND p.cveid <> p.id
      LEFT JOIN vulns w ON w.cveid = p.id
      CROSS JOIN alerts a ON a.vuln_id = v.id AND a.rule = 'new'
      CROSS JOIN alerts b ON b.org_id = a.org_id AND b.vuln_id = coalesce(w.id, v.id) AND b.rule = 'new'
      CROSS JOIN vuln_changes c ON c.seq = a.change_seq AND c.kind <> 'new'
    WHERE a.suppressed IS NULL AND b.suppressed IS NULL AND b.id < a.id
      AND NOT EXISTS (SELECT 1 FROM vuln_changes x CROSS JOIN json_each(x.detail) f
        WHERE x.vuln_id = v.id AND x.seq > b.last_seq AND x.seq < c.seq AND f.value ->> 'removed_count' > 0)
      AND (b.vuln_id <> v.id OR a.org_id IN (${tiedBefore('product')} UNION ${tiedBefore('package')}
        UNION SELECT i.org_id FROM inventory_vulns i WHERE i.vuln_id = v.id AND i.since_seq < c.seq))
      AND coalesce((SELECT max(r.at) FROM vuln_changes r WHERE r.vuln_id = w.id), '') <= c.at`,
  // By another name it may have begun to watch when it was long exploited.
  'an organization that was told of an advisory does not hear that its CVE is exploited': `
    SELECT b.org_id, v.cveid FROM advisories p JOIN vulns v ON v.cveid = p.cveid AND v.kev_added_at IS NOT NULL AND v.state <> 'rejected'
      JOIN vulns w ON w.cveid = p.id AND w.id <> v.id CROSS JOIN alerts b ON b.vuln_id = w.id AND b.suppressed IS NULL
      JOIN monitored_packages m ON m.org_id = b.org_id AND m.created_at < b.created_at
    WHERE b.org_id NOT IN (SELECT org_id FROM inventory_vulns WHERE vuln_id = v.id) AND (b.org_id, v.id) NOT IN (${linked('product')})
      AND NOT EXISTS (SELECT 1 FROM alerts a WHERE a.org_id = b.org_id AND a.vuln_id IN (v.id, w.id) AND a.fired & 8)`,
  'a decision stands on a record that became part of another': `
    SELECT v.cveid FROM decisions d JOIN vulns v ON v.id = d.vuln_id
    WHERE v.org_id IS NULL AND NOT EXISTS (SELECT 1 FROM vuln_records r WHERE r.vuln_id = v.id)`,
  'vulnerabilities are not what their records say': `SELECT changed FROM feed_runs WHERE feed_id = 'remerge' AND changed > 0`,
  'vulnerabilities are miscounted': counted('vulns', `SELECT count(*) ${shown}`),
  'exploitable ones are miscounted': counted('vulns_exploitable', `SELECT count(*) ${shown} AND v.is_exploitable`),
  'a search finds what is not there, or not all': `
    SELECT (SELECT count(*) FROM vulns_fts WHERE vulns_fts MATCH 'cveid : (cve OR ghsa)') AS kept,
      (SELECT count(*) ${shown} AND v.cveid IS NOT NULL) AS real WHERE kept <> real`,
  ...Object.fromEntries(
    countedTables.map(({ table, scanned }) => [
      `vulnerabilities of ${table} are miscounted`,
      `SELECT name, vulns_count, ${scanned} AS scanned FROM ${table} WHERE vulns_count <> scanned`,
    ]),
  ),
  // A version may be safe.
  'a vulnerability that the watchlist names is not watched': `
    ${linked('product')} JOIN vulns v ON v.id = l.vuln_id AND v.state <> 'rejected' AND coalesce(v.org_id, m.org_id) = m.org_id
    WHERE m.is_monitored AND m.versions IS NULL AND (m.org_id, l.vuln_id) NOT IN (SELECT org_id, vuln_id FROM org_vulns)`,
  'a vulnerability that nothing names is watched': `
    SELECT org_id, vuln_id FROM org_vulns EXCEPT SELECT org_id, vuln_id FROM inventory_vulns
    EXCEPT ${linked('product')} WHERE m.is_monitored EXCEPT ${linked('package')}`,
}
