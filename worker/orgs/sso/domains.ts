import { asc, eq } from 'drizzle-orm'
import { readyAuditBy, type AuditedWrite, type By } from '../../auth/audited-by'
import { findTxt } from '../../auth/dns'
import { newToken } from '../../auth/keys'
import { beside } from '../../db/beside'
import { isTaken } from '../../db/guard'
import type { Db } from '../../db/open'
import { sqlStatement } from '../../db/statement'
import { stamp } from '../../db/time'
import { Failure, invalid, notFound } from '../../http/errors'
import { ssoDomains } from '../../schema/orgs'

/** Domains where everybody may have an address: none is an organization's own. */
const publicMail = new Set(
  `aol.com fastmail.com free.fr gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.net googlemail.com hotmail.com icloud.com laposte.net
  live.com mac.com mail.com mail.ru me.com msn.com naver.com orange.fr outlook.com pm.me posteo.de proton.me protonmail.com qq.com
  t-online.de tutanota.com wanadoo.fr web.de yahoo.com yandex.com yandex.ru zoho.com 163.com 126.com`.split(/\s+/),
)

/** A domain that stays keeps its proof. */
export function claimStatements(db: Db, org_id: number, domains: string[]) {
  const known = domains.findIndex((domain) => publicMail.has(domain))
  if (known !== -1)
    throw invalid([{ path: ['email_domains', known], message: `${domains[known]} is a public mail service` }])
  const claims = JSON.stringify(domains.map((domain) => ({ domain, proof: newToken() })))
  return [
    sqlStatement(db)`DELETE FROM sso_domains
        WHERE org_id = ${org_id} AND domain NOT IN (SELECT value ->> 'domain' FROM json_each(${claims}))`,
    sqlStatement(db)`INSERT INTO sso_domains(org_id, domain, proof)
        SELECT ${org_id}, value ->> 'domain', value ->> 'proof'
        FROM json_each(${claims}) WHERE TRUE ON CONFLICT DO NOTHING`,
  ]
}

export async function findDomains(db: Db, org_id: number) {
  const { domain, proof: txt, proved_at, proved_by, missing_since } = ssoDomains
  const claims = await db
    .select({ domain, proof: txt, proved_at, proved_by, missing_since })
    .from(ssoDomains)
    .where(eq(ssoDomains.org_id, org_id))
    .orderBy(asc(domain))
  return claims.map(({ proof, ...claim }) => ({ ...claim, ...txtRecord({ domain: claim.domain, proof }) }))
}

export const txtRecord = ({ domain, proof }: { domain: string; proof: string }) => ({
  txt_name: `_earshot.${domain}`,
  txt_value: `earshot-domain-verification=${proof}`,
})

/** The writer of the domain's TXT record speaks for it. */
export async function proveDomain(db: Db, domain: string, by: By) {
  const { org_id } = by.actor
  const [claim, write] = await beside(getClaim(db, org_id, domain), readyAuditBy(db, by))
  const found = await findTxt(by.env, claim.txt_name)
  if (!found.includes(claim.txt_value))
    throw new Failure(409, 'not_proved', `The TXT record ${claim.txt_name} does not hold the expected value yet`)
  await acceptDomain(db, { org_id, domain, proved_by: 'dns', write }, by.now)
}

export async function approveDomain(db: Db, org_id: number, domain: string, by: By) {
  const [, write] = await beside(getClaim(db, org_id, domain), readyAuditBy(db, by, org_id))
  await acceptDomain(db, { org_id, domain, proved_by: 'admin', write }, by.now)
}

async function getClaim(db: Db, org_id: number, domain: string) {
  const claim = (await findDomains(db, org_id)).find((listed) => listed.domain === domain)
  if (!claim) throw notFound('Domain')
  return claim
}

type Proved = { org_id: number; domain: string; proved_by: 'dns' | 'admin'; write: AuditedWrite }

async function acceptDomain(db: Db, { org_id, domain, proved_by, write }: Proved, now: Date) {
  try {
    await write([provedStatement(db, { org_id, domains: [domain], proved_by }, now)], {
      action: 'sso.prove_domain',
      target: domain,
      detail: { proved_by },
    })
  } catch (error) {
    if (isDomainTaken(error)) throw domainTaken()
    throw error
  }
}

type Proof = { org_id: number; domains: string[]; proved_by: 'dns' | 'admin' }

export const provedStatement = (db: Db, { org_id, domains, proved_by }: Proof, now: Date) =>
  sqlStatement(db)`UPDATE sso_domains
      SET proved_at = ${stamp(now)}, proved_by = ${proved_by}, checked_at = NULL, missing_since = NULL WHERE org_id = ${org_id}
      AND domain IN (SELECT value FROM json_each(${JSON.stringify(domains)}))
      AND (proved_at IS NULL OR missing_since IS NOT NULL)`

export const domainTaken = () =>
  invalid([{ path: ['email_domains'], message: 'Another organization uses one of these domains: write to us' }])

export const isDomainTaken = (error: unknown) => isTaken(error, 'sso_domains.domain')
