import { sql } from 'drizzle-orm'
import { noteError } from '../../db/error-text'
import { audited } from '../../auth/audit'
import { findTxt } from '../../auth/dns'
import { eachApart } from '../../db/apart'
import type { Db } from '../../db/open'
import { sqlStatement } from '../../db/statement'
import { plusSeconds, stamp } from '../../db/time'
import type { Env } from '../../env'
import { adminNotice } from '../../mail/notice'
import { queueMail } from '../../mail/outbox'
import { txtRecord } from './domains'
import { findAdmins } from '../../mail/find-admins'

const proveDays = 30
/** A record that is missing may come back for so long, looked for every day. */
export const graceDays = 14
const maxDomains = 50
const dayBefore = (now: Date, days: number) => stamp(plusSeconds(now, -days * 86_400))

type Claim = { org_id: number; domain: string; proof: string; missing_since: string | null }

/** A domain whose owner took its record away leads to the provider no more, after a grace. */
export async function proveDomainsAgain(env: Env, db: Db, now: Date) {
  const due = await db.all<Claim>(sql`
    SELECT org_id, domain, proof, missing_since FROM sso_domains
    WHERE proved_by = 'dns' AND proved_at IS NOT NULL
      AND (missing_since IS NOT NULL OR coalesce(checked_at, proved_at) <= ${dayBefore(now, proveDays)})
    ORDER BY coalesce(checked_at, proved_at) LIMIT ${maxDomains}`)
  let isTold = false
  try {
    await eachApart(db, due, async (claim) => {
      isTold = (await proveAgain(env, db, claim, now)) || isTold
    })
  } finally {
    if (isTold) await env.DELIVERIES.send({ reason: 'due' })
  }
}

/** Whether somebody is told. A name service without an answer says nothing of the record. */
async function proveAgain(env: Env, db: Db, claim: Claim, now: Date) {
  const { txt_name, txt_value } = txtRecord(claim)
  const at = stamp(now)
  let found: string[]
  try {
    found = await findTxt(env, txt_name)
  } catch (error) {
    noteError({ job: 'mail_domains', domain: claim.domain }, error)
    // Asked again tomorrow, behind those that wait for longer.
    await noteLook(db, claim, { missing_since: claim.missing_since, at: dayBefore(now, proveDays - 1) }).run()
    return false
  }
  if (found.includes(txt_value)) {
    await noteLook(db, claim, { missing_since: null, at }).run()
    return false
  }
  if (claim.missing_since === null) {
    await tellMissing(env, db, claim, now)
    return true
  }
  if (claim.missing_since > dayBefore(now, graceDays)) {
    await noteLook(db, claim, { missing_since: claim.missing_since, at }).run()
    return false
  }
  await endProof(env, db, claim, now)
  return true
}

const isClaim = ({ org_id, domain }: Claim) => sql`org_id = ${org_id} AND domain = ${domain} AND proved_by = 'dns'`

const noteLook = (db: Db, claim: Claim, { missing_since, at }: { missing_since: string | null; at: string }) =>
  sqlStatement(db)`UPDATE sso_domains SET checked_at = ${at}, missing_since = ${missing_since} WHERE ${isClaim(claim)}`

async function tellMissing(env: Env, db: Db, claim: Claim, now: Date) {
  const ends_on = stamp(plusSeconds(now, graceDays * 86_400)).slice(0, 10)
  const mails = await mailAdmins(env, db, { org_id: claim.org_id, ...describeMissing(claim, ends_on) }, now)
  const noted = noteLook(db, claim, { missing_since: stamp(now), at: stamp(now) })
  await db.$client.batch([noted, ...mails])
}

async function endProof(env: Env, db: Db, claim: Claim, now: Date) {
  const { org_id, domain, missing_since } = claim
  const mails = await mailAdmins(env, db, { org_id, ...describeEnded(claim) }, now)
  const ended = sqlStatement(db)`UPDATE sso_domains
      SET proved_at = NULL, proved_by = NULL, checked_at = NULL, missing_since = NULL
      WHERE ${isClaim(claim)}`
  await audited(
    db,
    [ended, ...mails],
    { org_id, actor_id: null, actor: 'Earshot', action: 'sso.end_domain', target: domain, detail: { missing_since } },
    { env, client: { ip: '', user_agent: '' }, now },
  )
}

export function describeMissing(claim: Pick<Claim, 'domain' | 'proof'>, ends_on: string): News {
  const { txt_name, txt_value } = txtRecord(claim)
  return {
    title: `the TXT record of ${claim.domain} is missing`,
    paragraphs: [
      `Nobody can sign in by your provider with an address at ${claim.domain} after ${ends_on}, unless the record is back by then.`,
      `The record ${txt_name} must hold ${txt_value}. It is looked for every day.`,
    ],
  }
}

export const describeEnded = ({ domain }: Pick<Claim, 'domain'>): News => ({
  title: `${domain} does not lead to your provider any more`,
  paragraphs: [
    `Its TXT record has been missing for ${graceDays} days. Put it back and check the domain in the settings of single sign-on.`,
  ],
})

type News = { title: string; paragraphs: string[] }

async function mailAdmins(env: Env, db: Db, { org_id, ...news }: News & Pick<Claim, 'org_id'>, now: Date) {
  const admins = await findAdmins(db, org_id)
  const mails = await Promise.all(admins.map((admin) => domainNotice(env, admin, news)))
  return mails.map((mail) => queueMail(db, { org_id, ...mail }, now))
}

export const domainNotice = (
  env: Env,
  { to, org_name }: { to: string; org_name: string },
  { title, paragraphs }: News,
) =>
  adminNotice({
    to,
    org_name,
    kind: 'sso_domain',
    title: `${org_name}: ${title}`,
    paragraphs,
    action: { label: 'Single sign-on', url: `${env.APP_URL}/settings?tab=sso` },
  })
