import type { Env } from '../env'
import { toNetwork } from './client-address'
import { Failure } from './errors'

const periodSeconds = 60

/** The platform counts calls per address, writes and reads apart, so that a refusal costs no query. */
export async function admitAddress({ RATE_LIMIT }: Env, ip: string, kind: '' | 'read ' = '') {
  if (!RATE_LIMIT || !ip) return
  const { success } = await RATE_LIMIT.limit({ key: `${kind}${toNetwork(ip)}` })
  if (!success) throw tooMany()
}

const tooMany = () =>
  new Failure(429, 'throttled', 'Too many requests', { headers: { 'retry-after': String(periodSeconds) } })
