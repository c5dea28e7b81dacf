import * as z from 'zod'
import { StartFailure } from '../start/failure.ts'
import { orNone, type AccountApi } from './account.ts'

const Subdomain = z.object({ subdomain: z.string() })

/** The account's own address of this Worker; an account without one gets one. */
export async function findOwnAddress(account: AccountApi, name: string) {
  const body = { subdomain: `earshot-${account.id.slice(0, 8)}` }
  const known = await orNone(account.own('/workers/subdomain', Subdomain))
  const { subdomain } = known ?? (await account.own('/workers/subdomain', Subdomain, { method: 'PUT', body }))
  return `https://${name}.${subdomain}.workers.dev`
}

/** The zone of the account that holds a host name. */
async function findZone(account: AccountApi, host: string) {
  const labels = host.split('.')
  for (const start of labels.keys()) {
    const query = new URLSearchParams({ name: labels.slice(start).join('.'), 'account.id': account.id })
    const [zone] = await account.ask(`/zones?${query}`, z.array(z.object({ id: z.string(), name: z.string() })))
    if (zone) return zone
  }
  return undefined
}

export async function requireDomain(account: AccountApi, host: string) {
  if (await findZone(account, host)) return
  throw new StartFailure(
    `No domain of this account holds ${host}: add it to the account first, or leave APP_URL away for an address of the account's own`,
  )
}

/** Why no mail can leave; undefined where it can. */
export async function whyNoMail(account: AccountApi, from: string, hasSmtp: boolean) {
  if (hasSmtp) return undefined
  const domain = /@([^>\s]+)/.exec(from)?.[1] ?? ''
  const zone = await findZone(account, domain)
  if (!zone) return `MAIL_FROM (${from}) is at no domain of this account, and there is no SMTP_URL`
  const senders = await account.ask(
    `/zones/${zone.id}/email/sending/subdomains`,
    z.array(z.object({ name: z.string(), enabled: z.boolean().optional() })),
  )
  const isHolding = (name: string) => name === domain || (name.startsWith('*.') && domain.endsWith(name.slice(1)))
  if (senders.some(({ name, enabled }) => isHolding(name) && enabled !== false)) return undefined
  return `${domain} may not send yet: run npx wrangler email sending enable ${domain}, or set SMTP_URL`
}
