import type * as z from 'zod'
import type { Env } from '../../env'
import { askJson, providerFailure } from '../ask-json'
import { isLocalHost, requirePublicUrl } from '../public-url'

/** An Earshot on this machine has its providers beside it, for trials. */
const isTriedOut = (env: Env) => env.LOCAL_CHANNELS === '1' || isLocalHost(new URL(env.APP_URL).hostname)

/** https without a password in it; plain http only where Earshot and the provider are on this machine. */
export function isProviderUrl(env: Env, text: string) {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  const isHere = protocol === 'http:' && isLocalHost(hostname) && isTriedOut(env)
  return (protocol === 'https:' || isHere) && !username && !password
}

export async function askProvider<Reply>(env: Env, url: string, schema: z.ZodType<Reply>, init: RequestInit = {}) {
  if (!isTriedOut(env))
    await requirePublicUrl(env, url).catch((error: Error) => {
      throw providerFailure(error.message)
    })
  return askJson(url, schema, init)
}
