import type { Env } from '../env'
import { Failure } from './errors'

const periodSeconds = 60

/** The platform counts calls per address, so that a refusal costs no query. */
export async function admitAddress({ RATE_LIMIT }: Env, ip: string) {
  if (!RATE_LIMIT || !ip) return
  const { success } = await RATE_LIMIT.limit({ key: ip })
  if (!success) throw tooMany()
}

const tooMany = () =>
  new Failure(429, 'throttled', 'Too many requests', { headers: { 'retry-after': String(periodSeconds) } })
