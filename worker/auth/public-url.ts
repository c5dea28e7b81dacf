import { isInNetwork, isPublicAddress } from '../domain/people/public-address'
import type { Env } from '../env'
import { findAddresses } from './dns'

export const isLocalHost = (hostname: string) => hostname === 'localhost' || hostname === '127.0.0.1'

/** Whether those who run this Earshot list its host, host:port or network (LOCAL_CHANNELS), or allow all by `1`: there http will do, too. */
export function isListedReceiver({ LOCAL_CHANNELS = '' }: Env, { protocol, host, hostname }: URL) {
  const listed = LOCAL_CHANNELS.toLowerCase().split(/[\s,]+/)
  const isWeb = protocol === 'https:' || protocol === 'http:'
  return isWeb && listed.some((entry) => ['1', host, hostname].includes(entry) || isInNetwork(hostname, entry))
}

const usualPorts = new Set(['', '8443'])

/** Others lead to mail, databases and other listeners that take no messages. */
function requirePort(env: Env, { host, hostname, port }: URL) {
  if (usualPorts.has(port)) return
  const allowed = (env.OUTGOING_HOSTS ?? '').toLowerCase().split(/[\s,]+/)
  if (allowed.includes(host) || allowed.includes(hostname)) return
  throw new Error(
    `Must lead to port 443 or 8443, not ${port}: those who run this Earshot can allow ${host} (OUTGOING_HOSTS)`,
  )
}

/** Throws in words why a tenant's address is refused: it is not https, of an unusual port, or not on the public internet. */
export async function requirePublicUrl(env: Env, text: string) {
  if (!URL.canParse(text)) throw new Error('Must be a web address, with https://')
  const url = new URL(text)
  if (url.protocol !== 'https:') throw new Error('Must be a web address, with https://')
  if (url.username || url.password) throw new Error('Must hold no password')
  requirePort(env, url)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isAddress = host.includes(':') || /^[\d.]+$/.test(host)
  const addresses = isAddress ? [host] : await findAddresses(env, host)
  if (!addresses.length) throw new Error(`${host} has no address in the DNS`)
  if (!addresses.every(isPublicAddress)) throw new Error(`${host} is not on the public internet`)
}
