import { catchUp } from './catch-up'
import { emptyProof } from '../../../worker/alerts/proof/proof'
import { hashToken } from '../../../worker/auth/keys'
import { hashPassword } from '../../../worker/auth/password/password'
import { signAccess } from '../../../worker/auth/tokens'
import { sealUndo } from '../../../worker/decisions/undo-token'
import { newPrivateName } from '../../../worker/domain/names/cve'
import { rows } from './org'
import { ownInventories, ownRoutes } from './victim-rows'
import { quietReport } from './report-scene'
import type { World } from './world'
import { password } from '../../support/credentials'

/** All data of the victim contain this word; no answer to a stranger may. */
export const canary = 'canary'
let hash: Promise<string> | undefined
let made = 0

type Role = { is_admin?: boolean; is_org_admin?: boolean; is_active?: boolean }

/** An organization with something in every table that may hold something of an organization or of its people. */
export async function aVictim(world: World) {
  const { org_id, name, aUser } = await emptyOrg(world, canary)
  const boss = await aUser('boss', { is_org_admin: true })
  const target = await aUser('target')
  const member = await aUser('member')
  const disabled = await aUser('disabled', { is_active: false })
  const domain = `domain-of-${org_id}.example`
  const users = JSON.stringify([boss, target, member, disabled].map(({ user_id }) => user_id))
  const user_id = target.user_id

  const insert = async (sql: string, ...values: unknown[]) =>
    (await rows<{ id?: number }>(world.env, `${sql} RETURNING *`, ...values))[0]?.id ?? 0
  /** Rows that nothing else names are written in one trip. */
  const owned: D1PreparedStatement[] = []
  const own = (sql: string, ...values: unknown[]) => void owned.push(world.env.DB.prepare(sql).bind(...values))
  const writeOwned = () => world.env.DB.batch(owned.splice(0))
  const entry = { org_id, seq: 1, at: then, actor_id: null, actor: name, action: 'org.create', target: name }
  const chained = { ...entry, detail: JSON.stringify({ note: name }), ip: '192.0.2.1', prev_hash: '' }
  own(
    `INSERT INTO audit_log(org_id, seq, at, actor_id, actor, action, target, detail, ip, prev_hash, hash)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)`,
    ...Object.values(chained),
    'hash',
  )
  own("INSERT INTO audit_heads(org_id, seq, hash, mac) VALUES (?1, 1, 'hash', 'mac')", org_id)
  for (const item of ['vendor', 'vuln', 'package', 'bulletin'])
    own(`INSERT INTO monitored_${item}s(org_id, ${item}_id, created_at) VALUES (?1, 1, ?2)`, org_id, then)
  own("INSERT INTO watch_groups VALUES (?1, 'canary', 'product', 1)", org_id)
  own('INSERT INTO due_remakes VALUES (?1, 0, 0, 1)', org_id)
  for (const table of ['risen_verdicts', 'summarized_malice']) own(`INSERT INTO ${table} VALUES (?1, 1)`, org_id)
  own("INSERT INTO public_exposures VALUES (?1, 'group', 0, 'canary', 1)", org_id)
  for (const sql of [
    "INSERT INTO monitored_products(org_id, product_id, is_monitored, created_at) SELECT ?1, 1, 1, ?3 WHERE ?2 > ''",
    "INSERT INTO awaited(org_id, kind, value, created_at) VALUES (?1, 'vendor', ?2, ?3)",
    "INSERT INTO awaited_names SELECT 'vendor', ?2, ?1 WHERE ?3 > ''",
    "INSERT INTO org_stats SELECT ?1, ?2, '{}' WHERE ?3 > ''",
    "INSERT INTO alert_waits SELECT ?1, 1, ?3, NULL WHERE ?2 > ''",
    "INSERT INTO judge_turns SELECT ?1, ?3, 1, ?3 WHERE ?2 > ''",
    `INSERT INTO alert_proofs(org_id, day, body, made_at) SELECT ?1, ?3, '${proof}', ?3 WHERE ?2 > ''`,
    "INSERT INTO decisions(vuln_id, org_id, scope, verdict, on_fix, note, decided_at) VALUES (1, ?1, 'alerts', 'snoozed', 1, ?2, ?3)",
    "INSERT INTO decisions(vuln_id, org_id, scope, verdict, note, decided_at) VALUES (1, ?1, 'vulnerability', 'in_progress', ?2, ?3)",
  ])
    own(sql, org_id, name, then)
  const change_id = await insert(
    "INSERT INTO decision_changes(vuln_id, org_id, scope, verdict, at) VALUES (1, ?1, 'vulnerability', 'in_progress', ?2)",
    org_id,
    then,
  )
  const vuln_id = await insert(
    "INSERT INTO vulns(org_id, cveid, state, summary, created_at, updated_at) VALUES (?1, ?3, 'published', ?2, 0, 0)",
    org_id,
    name,
    newPrivateName(org_id),
  )
  for (const [table, ids, values] of [
    ['products', 'product_id, vendor_id', '1, 1'],
    ['packages', 'package_id', '1'],
  ])
    own(
      `INSERT INTO vuln_${table}(vuln_id, ${ids}, since_seq, touched, org_id) VALUES (?1, ${values}, 0, 0, ?2)`,
      vuln_id,
      org_id,
    )
  const { removed_inventory_id, removed_key } = ownInventories(own, { org_id, name, at: then })
  own("INSERT INTO quotas VALUES (?1, 'detail_mails', ?2, 1)", org_id, then.slice(0, 10))
  own('INSERT INTO alert_addresses VALUES (?1, ?2, ?3)', org_id, `${name}@example.org`, then)
  own('INSERT INTO known_places VALUES (?1, ?2, ?3)', user_id, '192.0.2.9', then)
  await writeOwned()
  await catchUp(world, [1, vuln_id])
  const [exploit_id = 0, threat_id = 0] = await Promise.all(
    ['exploits', 'threats'].map((table) =>
      insert(
        `INSERT INTO ${table}(vuln_id, org_id, source, key, link, notes, trust_level${table === 'exploits' ? ', availability, maturity' : ''}, modified)
         VALUES (1, ?1, 'manual', ?2, 'https://example.org/' || ?2, ?2, 'high'${table === 'exploits' ? ", 'public', 'poc'" : ''}, ?3)`,
        org_id,
        name,
        then,
      ),
    ),
  )
  const comment_id = await insert('INSERT INTO comments VALUES (NULL, ?1, 1, NULL, ?2, ?3, NULL)', org_id, name, then)
  const alert_id = await insert(
    "INSERT INTO alerts(org_id, vuln_id, change_seq, last_seq, rule, fired, created_at, updated_at) VALUES (?1, 1, 1, 1, 'new', 1, ?2, ?2)",
    org_id,
    then,
  )
  const delivery_id = await insert(
    `INSERT INTO deliveries(org_id, alert_id, channel, target, rule, status, next_attempt_at, last_error)
     VALUES (?1, ?2, 'email', ?3, 'new', 'dead', ?4, ?3)`,
    org_id,
    alert_id,
    `${name}@example.org`,
    then,
  )
  ownRoutes(own, { org_id, name, at: then })
  own('INSERT INTO alert_feeds VALUES (?1, 0, ?2, ?3, ?4)', org_id, `${name} feed`, then, user_id)
  own("INSERT INTO report_dues VALUES ('2099-01-01T00:00:00Z', ?1, 'weekly', NULL)", org_id)
  own("INSERT INTO reports VALUES (?1, 'daily', '2026-01-01', ?2, 1, ?3)", org_id, then, quietReport(name))
  own(
    "INSERT INTO report_pages VALUES (?1, 'daily', '2026-01-01', 2, json_object('rows', json_array(), 'raw_names', json_array(json_array(?2, ?2))))",
    org_id,
    name,
  )
  own("INSERT INTO sso_providers VALUES (?1, ?2, ?3, 'sealed', 0)", org_id, `https://${name}.example`, name)
  own('INSERT INTO sso_domains(org_id, domain, proof) VALUES (?1, ?2, ?3)', org_id, domain, name)
  const invitation_id = await insert(
    `INSERT INTO links(token_hash, kind, email, org_id, created_at, expires_at)
     VALUES (?1, 'invitation', ?1 || '@example.org', ?2, ?3, '2099-01-01T00:00:00Z')`,
    `${name}-invited`,
    org_id,
    then,
  )
  own('INSERT INTO sso_identities VALUES (?1, ?2, ?3)', org_id, name, user_id)
  const token_id = await aToken({ owner_id: user_id, scope: 'write' })
  const passkey_id = await insert(
    `INSERT INTO passkeys(credential_id, user_id, public_key, counter, name, created_at) VALUES (?1, ?2, 'AA', 0, ?1, ?3)`,
    name,
    user_id,
    then,
  )
  const { session_id } = await aSession(world, { user_id, org_id }, `${name} browser`)
  const view_id = await insert(
    "INSERT INTO saved_views(org_id, user_id, name, query, is_shared, created_at, updated_at) VALUES (?1, ?2, ?3, 'q=kev', 1, ?4, ?4)",
    org_id,
    user_id,
    name,
    then,
  )
  own(
    "INSERT INTO decisions(org_id, vuln_id, scope, verdict, owner_id, decided_at) VALUES (?1, 1, 'assignee', 'assigned', ?2, ?3)",
    org_id,
    user_id,
    then,
  )
  own('INSERT INTO vuln_seen VALUES (?1, ?2, 1, 1)', org_id, user_id)
  own('INSERT INTO recovery_codes VALUES (?1, ?2, NULL)', user_id, name)
  await writeOwned()

  async function aToken({ owner_id, scope, token = name }: { owner_id: number; scope: string; token?: string }) {
    return insert(
      `INSERT INTO api_tokens(user_id, org_id, name, prefix, token_hash, scope, created_at, last_used_at)
       VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, '2099-01-01T00:00:00Z')`,
      owner_id,
      org_id,
      name,
      await hashToken(token),
      scope,
      then,
    )
  }

  const listed = listTables(world)
  /** A hash over all rows of the organization and its people; removes failed attempts and pauses, so that none blocks the walk. */
  async function fingerprint() {
    const of = (table: string, where: string) => `SELECT * FROM ${table} WHERE ${where}`
    const ofOrg = 'org_id = ?1 AND ?2 > 0'
    const ofUsers = '?1 > 0 AND user_id IN (SELECT value FROM json_each(?2))'
    const { orgTables, userTables } = await listed
    const tables = [
      of('orgs', 'id = ?1 AND ?2 > 0'),
      of('users', '?1 > 0 AND id IN (SELECT value FROM json_each(?2))'),
      ...orgTables.map((table) => of(table, ofOrg)),
      ...userTables.map((table) => of(table, ofUsers)),
    ]
    const { DB } = world.env
    const forgetting = ['throttles', "mail_allowances WHERE key LIKE 'alert test of %'"]
    const forget = forgetting.map((those) => DB.prepare(`DELETE FROM ${those}`))
    const found = await DB.batch([...forget, ...tables.map((sql) => DB.prepare(sql).bind(org_id, users))])
    return hashToken(JSON.stringify(found.map(({ results }) => results)))
  }

  return {
    org_id,
    name,
    domain,
    boss,
    target,
    member,
    disabled,
    token_id,
    passkey_id,
    session_id,
    vuln_id,
    removed_inventory_id,
    removed_key,
    view_id,
    undo: await sealUndo(world.env, { first: change_id, last: change_id }),
    alert_id,
    delivery_id,
    exploit_id,
    threat_id,
    comment_id,
    invitation_id,
    aToken,
    fingerprint,
  }
}
export type Victim = Awaited<ReturnType<typeof aVictim>>

const then = '2026-01-01T00:00:00Z'
const proof = JSON.stringify(emptyProof(canary))

/** All tables of the schema with an organization or a user. */
export async function listTables(world: World) {
  const schema = await world.sql<{ name: string; sql: string }>`SELECT name, sql FROM sqlite_master
    WHERE type = 'table' ORDER BY name`
  const having = (column: string) => schema.filter(({ sql }) => sql.includes(`\`${column}\``)).map(({ name }) => name)
  const [orgTables, withUser] = [having('org_id'), having('user_id')]
  // A mailed link and a begun sign-in are asked for by anybody, and change nothing of the user.
  const userTables = withUser.filter((name) => name !== 'links' && name !== 'challenges')
  return { orgTables, userTables }
}

/** An organization without anything but its name and the users that are asked for. */
export async function emptyOrg(world: World, word: string) {
  const name = `${word}${++made}`
  const { DB } = world.env
  const [org] = await DB.batch<{ id: number }>([
    DB.prepare('INSERT INTO orgs(name, slug, created_at) VALUES (?1, ?1, ?2) RETURNING id').bind(name, then),
    DB.prepare('INSERT INTO alert_settings(org_id, alerts_emails) VALUES (last_insert_rowid(), json_array(?1))').bind(
      `${name}@example.org`,
    ),
  ])
  const org_id = org?.results[0]?.id ?? 0

  async function aUser(role: string, { is_admin = false, is_org_admin = false, is_active = true }: Role = {}) {
    const username = `${name}_${role}`
    const password_hash = await (hash ??= hashPassword(password))
    const [user] = await DB.batch<{ id: number }>([
      DB.prepare(
        `INSERT INTO users(username, email, first_name, password_hash, is_admin, is_active, created_at, email_verified_at)
         VALUES (?1, ?1 || '@example.org', ?1, ?2, ?3, ?4, ?5, ?5) RETURNING id`,
      ).bind(username, password_hash, Number(is_admin), Number(is_active), then),
      DB.prepare('INSERT INTO members(org_id, user_id, is_admin) VALUES (?1, last_insert_rowid(), ?2)').bind(
        org_id,
        Number(is_org_admin),
      ),
    ])
    return { user_id: user?.results[0]?.id ?? 0, org_id, username, email: `${username}@example.org` }
  }
  return { org_id, name, aUser }
}

type Signing = { user_id: number; org_id: number }

export async function aSession(world: World, { user_id, org_id }: Signing, user_agent = '') {
  const [session] = await world.sql<{
    id: number
    secret: string
  }>`INSERT INTO sessions(user_id, org_id, user_agent, ip, created_at, last_seen, expires_at, proved_at)
     VALUES (${user_id}, ${org_id}, ${user_agent}, '', ${then}, ${then}, '2099-01-01T00:00:00Z', strftime('%Y-%m-%dT%H:%M:%SZ', 'now')) RETURNING id, secret`
  return { session_id: session?.id ?? 0, session_secret: session?.secret ?? '' }
}

export const signedInAs = async (world: World, who: Signing) =>
  `JWT ${await signAccess(world.env, { user_id: who.user_id, ...(await aSession(world, who)) }, new Date())}`
