import type { Env } from '../../env'
import { invalid } from '../../http/errors'
import { requireChannelUrl } from './outgoing'
import { hintSecrets, isHint, openSecrets, sealSecrets } from './secrets'
import type { Hints, Secrets } from './secrets'
import type { StoredChannel } from './store'

type Given = Pick<Secrets, 'url' | 'apikey'>

/** Null when nothing changes; `field` is the name that the sender used. A stored key never goes to another host, whose owner could take it. */
export async function planSecrets(
  env: Env,
  stored: StoredChannel | undefined,
  entered: Given,
  field: (name: keyof Given) => string,
) {
  const before = await openSecrets(env, stored?.secrets ?? '')
  const hints = hintSecrets(before)
  const [url, apikey] = [
    readSecret(entered.url, hints.url, field('url')),
    readSecret(entered.apikey, hints.apikey, field('apikey')),
  ]
  const after: Secrets = { ...before, ...(url !== undefined && { url }), ...(apikey !== undefined && { apikey }) }
  if (after.url === before.url && after.apikey === before.apikey) return null

  // It becomes a header.
  if (apikey && !/^[\x21-\x7e]+$/.test(apikey))
    throw invalid([{ path: [field('apikey')], message: 'A key has no spaces and no letters with accents' }])
  if (url) {
    await requireChannelUrl(env, url).catch((error: Error) => {
      throw invalid([{ path: [field('url')], message: error.message }])
    })
    // Without an address it may be that of the receiver's maker, or one that was taken away.
    const isElsewhere = before.url === undefined || new URL(url).host !== new URL(before.url).host
    if (isElsewhere && before.apikey && apikey === undefined)
      throw invalid([{ path: [field('apikey')], message: 'Give the key of the new address' }])
  }
  return storedSecrets(env, after)
}

/** A channel with another address or key begins anew: earlier failures count no more. */
export async function storedSecrets(env: Env, secrets: Secrets) {
  const remaining: Secrets = Object.fromEntries(Object.entries(secrets).filter(([, secret]) => secret))
  const hints: Hints = hintSecrets(remaining)
  return {
    secrets: await sealSecrets(env, remaining),
    hints: JSON.stringify(hints),
    failing_since: null,
    last_error: null,
    disabled_at: null,
  }
}

/** A secret not given, or given as it was shown, stays; an empty one removes it. */
function readSecret(entered: string | undefined, hint: string | undefined, field: string) {
  if (entered === undefined || entered === hint) return undefined
  if (isHint(entered))
    throw invalid([{ path: [field], message: 'This is the short form of another secret: enter the whole one' }])
  return entered
}
