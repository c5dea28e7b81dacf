import * as z from 'zod'
import type { Db } from '../../db/open'
import type { Env } from '../../env'
import { newChallenge } from '../challenges'
import { invalid } from '../../http/errors'

/** Passkeys belong to the host that users open. */
export const relyingParty = (env: Env) => new URL(env.APP_URL).hostname

export const toExpected = (env: Env, challenge: string) => ({
  expectedChallenge: challenge,
  expectedOrigin: new URL(env.APP_URL).origin,
  expectedRPID: relyingParty(env),
  requireUserVerification: true,
})

export const userHandle = (user_id: number) => new Uint8Array(new TextEncoder().encode(`earshot-${user_id}`))

const Text = z.string().min(1).max(100_000)
const Credential = z.object({
  id: Text,
  rawId: Text,
  type: z.literal('public-key'),
  clientExtensionResults: z.object({}).default({}),
})
export const Created = Credential.extend({
  response: z.object({
    clientDataJSON: Text,
    attestationObject: Text,
    transports: z.array(z.string().max(40)).max(20).optional(),
  }),
})
export const Asserted = Credential.extend({
  response: z.object({
    clientDataJSON: Text,
    authenticatorData: Text,
    signature: Text,
    userHandle: z.string().max(200).nullish(),
  }),
})
export const Challenged = z.object({ challenge: z.string(), org_id: z.int().optional(), mfa_id: z.string().optional() })

export function readCredential<Output>(schema: z.ZodType<Output>, value: unknown) {
  const result = schema.safeParse(value)
  if (!result.success) throw invalid(result.error.issues)
  return result.data
}

/** The library throws for what does not fit: a refusal, not a failure of ours. */
export async function verified<Result extends { verified: boolean }>(verify: () => Promise<Result>) {
  try {
    const result = await verify()
    return result.verified ? result : null
  } catch {
    return null
  }
}

type Ceremony = Omit<Parameters<typeof newChallenge>[1], 'data'> & { options: { challenge: string }; data?: object }

export async function beginCeremony(db: Db, { options, data, ...begun }: Ceremony, now: Date) {
  const kept = { ...data, challenge: options.challenge }
  const { token, statements } = await newChallenge(db, { ...begun, data: kept }, now)
  await db.$client.batch(statements)
  return { challenge_id: token, options: { ...options } }
}
