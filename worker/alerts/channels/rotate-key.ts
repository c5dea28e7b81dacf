import { readyAuditBy } from '../../auth/audited-by'
import type { By } from '../../auth/audited-by'
import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import { notFound } from '../../http/errors'
import { storedSecrets } from './change-secrets'
import { openSecrets } from './secrets'
import { findChannels, writeChannel } from './store'
import { listOldKeys, newWebhookKey, receiverKey } from './webhook'

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
