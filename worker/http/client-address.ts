import type { Context } from 'hono'
import type { App } from './route'

/** Without Cloudflare in front (`npm start`) the caller writes this header, so it is not believed. */
export const clientAddress = (c: Context<App>) =>
  c.env.TRUST_PROXY === '0' ? '' : (c.req.header('cf-connecting-ip') ?? '')

/** One holder of IPv6 has at least a /64. */
export const toNetwork = (ip: string) => (ip.includes(':') ? toGroups(ip).slice(0, 4).join(':') : ip)

/** The most that one holder gets for little. */
export const toSite = (ip: string) =>
  ip.includes(':') ? toGroups(ip).slice(0, 3).join(':') : ip.split('.').slice(0, 3).join('.')

function toGroups(ip: string) {
  const [head = '', tail] = ip.toLowerCase().split('::')
  const [first, last] = [head.split(':').filter(Boolean), (tail ?? '').split(':').filter(Boolean)]
  const zeros = tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0')
  return [...first, ...zeros, ...last]
}
