import { readyAuditBy, type By } from '../../auth/audited-by'
import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import type { Env } from '../../env'
import { invalid, notFound } from '../../http/errors'
import { requireChannelUrl } from './outgoing'
import { hintSecrets, isHint, openSecrets, sealSecrets, type Hints, type Secrets } from './secrets'
import { findChannels, writeChannel, type StoredChannel } from './store'
import { listOldKeys, newWebhookKey, receiverKey } from './webhook'

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

/** Keys that are replaced sign for so long beside the new ones. */
const rotationSeconds = 86_400
const maxOldKeys = 3

/** The old keys sign beside the new one for a day, so that no message is refused meanwhile: also where the answer with a new one was lost. */
export async function rotateWebhookKey(db: Db, signing: 'hmac' | 'ed25519', by: By) {
  const { org_id } = by.actor
  const [stored, audit] = await Promise.all([findChannels(db, org_id), readyAuditBy(db, by)])
  const before = await openSecrets(by.env, stored.get('webhook')?.secrets ?? '')
  if (!before.url) throw notFound('Webhook')
  const key = await newWebhookKey(signing)
  const old_key_until = stamp(plusSeconds(by.now, rotationSeconds))
  const { secrets, hints } = await storedSecrets(by.env, {
    ...before,
    key,
    ...(before.key && {
      old_key: [before.key, ...listOldKeys(before)].slice(0, maxOldKeys).join(' '),
      old_key_until,
    }),
  })
  const write = writeChannel(db, { org_id, channel: 'webhook' }, { secrets, hints })
  await audit([write], { action: 'channel.key', target: 'webhook', detail: { signing } })
  return { key: receiverKey(key), old_key_until }
}
