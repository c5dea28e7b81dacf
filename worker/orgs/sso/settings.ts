import { eq } from 'drizzle-orm'
import type * as z from 'zod'
import { seal } from '../../auth/keys'
import { isProviderUrl } from '../../auth/sso/fetch'
import { discover, findProvider } from '../../auth/sso/provider'
import type { Db } from '../../db/open'
import { deleteRows, statement } from '../../db/statement'
import type { Env } from '../../env'
import { invalid, notFound } from '../../http/errors'
import { readyAuditBy, type By } from '../../auth/audited-by'
import { ssoDomains, ssoIdentities, ssoProviders } from '../../schema/orgs'
import type { setSso } from './contract'
import { claimStatements, domainTaken, isDomainTaken, provedStatement } from './domains'

type Settings = z.output<NonNullable<(typeof setSso)['body']>>

export async function saveProvider(db: Db, given: Settings, by: By) {
  const { env, actor, now } = by
  if (!isProviderUrl(env, given.issuer)) throw invalid([{ path: ['issuer'], message: 'Must be an https address' }])
  const { org_id } = actor
  const [stored, write] = await Promise.all([findProvider(db, org_id), readyAuditBy(db, by)])
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
    await write(
      [
        ...(isNew ? [forgetIdentities(db, org_id)] : []),
        writeProvider(db, row),
        ...claims,
        // The word of a global admin needs no other proof.
        ...(actor.is_admin ? [provedStatement(db, { org_id, domains: email_domains, proved_by: 'admin' }, now)] : []),
      ],
      { action: 'sso.set', target: issuer, detail },
    )
  } catch (error) {
    if (isDomainTaken(error)) throw domainTaken()
    throw error
  }
}

const sealed = async (env: Env, secret: string) => (secret ? seal(env, 'sso', secret) : '')

const writeProvider = (db: Db, row: typeof ssoProviders.$inferInsert) =>
  statement(db, db.insert(ssoProviders).values(row).onConflictDoUpdate({ target: ssoProviders.org_id, set: row }))

export async function removeProvider(db: Db, by: By) {
  const { org_id } = by.actor
  const [stored, write] = await Promise.all([findProvider(db, org_id), readyAuditBy(db, by)])
  if (!stored) throw notFound('Single sign-on')
  await write(
    [
      forgetIdentities(db, org_id),
      deleteRows(db, ssoProviders, eq(ssoProviders.org_id, org_id)),
      deleteRows(db, ssoDomains, eq(ssoDomains.org_id, org_id)),
    ],
    { action: 'sso.remove', target: stored.issuer },
  )
}

// Another provider's subjects are other people.
const forgetIdentities = (db: Db, org_id: number) => deleteRows(db, ssoIdentities, eq(ssoIdentities.org_id, org_id))
