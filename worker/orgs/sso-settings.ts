import { seal } from '../auth/keys'
import { isProviderUrl } from '../auth/sso-fetch'
import { discover, findProvider } from '../auth/sso-provider'
import type { Db } from '../db/open'
import type { Actor } from '../domain/access'
import type { Env } from '../env'
import { invalid, notFound } from '../http/errors'
import type { Client } from '../http/route'
import { audited } from '../auth/audit'
import { claimStatements, domainTaken, isDomainTaken, provedStatement } from './sso-domains'

type Settings = {
  issuer: string
  client_id: string
  client_secret?: string | undefined
  email_domains: string[]
  is_enabled: boolean
}
type Scene = { env: Env; actor: Actor; client: Client; now: Date }

export async function saveProvider(db: Db, given: Settings, { env, actor, client, now }: Scene) {
  if (!isProviderUrl(env, given.issuer)) throw invalid([{ path: ['issuer'], message: 'Must be an https address' }])
  const { org_id } = actor
  const stored = await findProvider(db, org_id)
  const acting = await getActing(db, actor)
  const email_domains = [...new Set(given.email_domains)]
  const claims = claimStatements(db, org_id, email_domains)

  const { issuer } = await discover(env, given.issuer)
  const isNew = stored?.issuer !== issuer
  // A stored secret never goes to another provider, where an admin who may not read it could take it from.
  if (isNew && stored?.client_secret && given.client_secret === undefined)
    throw invalid([{ path: ['client_secret'], message: 'Give the client secret of the new provider' }])
  const secret = given.client_secret === undefined ? stored?.client_secret : await sealed(env, given.client_secret)

  const { client_id, is_enabled } = given
  const row = { org_id, issuer, client_id, client_secret: secret ?? '', is_enabled }
  const detail = { client_id, email_domains, is_enabled, has_new_secret: given.client_secret !== undefined }
  try {
    await audited(
      db,
      [
        ...(isNew ? [forgetIdentities(db, org_id)] : []),
        writeProvider(db, row),
        ...claims,
        // What a global admin writes needs no other proof.
        ...(actor.is_admin ? [provedStatement(db, { org_id, domains: email_domains, proved_by: 'admin' }, now)] : []),
      ],
      { org_id, actor_id: actor.user_id, actor: acting.username, action: 'sso.set', target: issuer, detail },
      { env, client, now },
    )
  } catch (error) {
    if (isDomainTaken(error)) throw domainTaken()
    throw error
  }
}

const sealed = async (env: Env, secret: string) => (secret ? seal(env, 'sso', secret) : '')

const writeProvider = (db: Db, row: Omit<Settings, 'email_domains'> & { org_id: number }) =>
  db.$client
    .prepare(
      `INSERT INTO sso_providers(org_id, issuer, client_id, client_secret, is_enabled) VALUES (?1, ?2, ?3, ?4, ?5)
       ON CONFLICT(org_id) DO UPDATE SET issuer = excluded.issuer, client_id = excluded.client_id,
         client_secret = excluded.client_secret, is_enabled = excluded.is_enabled`,
    )
    .bind(row.org_id, row.issuer, row.client_id, row.client_secret, Number(row.is_enabled))

export async function dropProvider(db: Db, { env, actor, client, now }: Scene) {
  const { org_id } = actor
  const stored = await findProvider(db, org_id)
  if (!stored) throw notFound('Single sign-on')
  const { username } = await getActing(db, actor)
  await audited(
    db,
    [
      forgetIdentities(db, org_id),
      ...['sso_providers', 'sso_domains'].map((table) =>
        db.$client.prepare(`DELETE FROM ${table} WHERE org_id = ?1`).bind(org_id),
      ),
    ],
    { org_id, actor_id: actor.user_id, actor: username, action: 'sso.remove', target: stored.issuer },
    { env, client, now },
  )
}

// Another provider's subjects are other people.
const forgetIdentities = (db: Db, org_id: number) =>
  db.$client.prepare('DELETE FROM sso_identities WHERE org_id = ?1').bind(org_id)

async function getActing(db: Db, { user_id }: Actor) {
  const acting = await db.$client
    .prepare('SELECT username FROM users WHERE id = ?1')
    .bind(user_id)
    .first<{ username: string }>()
  if (!acting) throw notFound('User')
  return acting
}
