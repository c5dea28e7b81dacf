import * as z from 'zod'
import { seal, unseal } from '../../auth/keys'
import type { Env } from '../../env'

/** No answer of ours holds these. */
export const Secrets = z.object({
  url: z.string().optional(),
  /** TheHive and MISP. */
  apikey: z.string().optional(),
  /** The webhook's: `whsec_…`, or `whsk_…` for ed25519. */
  key: z.string().optional(),
  /** The keys before it, with a space between them, which sign too until that time. */
  old_key: z.string().optional(),
  old_key_until: z.string().optional(),
})
export type Secrets = z.output<typeof Secrets>
export type Hints = Partial<Record<keyof Secrets, string>>

const masked = '****'

export const sealSecrets = (env: Env, secrets: Secrets) =>
  Object.values(secrets).some(Boolean) ? seal(env, 'channel', JSON.stringify(secrets)) : Promise.resolve('')

export const openSecrets = async (env: Env, sealed: string): Promise<Secrets> =>
  sealed ? Secrets.parse(JSON.parse(await unseal(env, 'channel', sealed))) : {}

/** Hint of a secret: its last four characters, and nothing of one so short that these would tell it. */
const hint = (secret: string) => (secret.length < 12 ? masked : masked + secret.slice(-4))

/** Of a signing key its kind is open, too: `whsec_****abcd`. */
const hintKey = (key: string) => key.slice(0, key.indexOf('_') + 1) + hint(key)

export const hintSecrets = ({ url, apikey, key }: Secrets): Hints => ({
  ...(url && { url: hint(url) }),
  ...(apikey && { apikey: hint(apikey) }),
  ...(key && { key: hintKey(key) }),
})

/** A client may send back the masked text: that is no new secret. */
export const isHint = (text: string) => text.startsWith(masked)
