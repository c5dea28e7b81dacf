import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser'
import { passkeyProofOptions, provePasskey } from '../../worker/account/contract'
import { passkeyLoginOptions } from '../../worker/auth/contract'
import { call } from '../lib/call'
import type { PasskeyProof } from './sign-in'

type Ceremony = { challenge_id: string; options: Record<string, unknown> }
type Ask = { eph_token?: string; useBrowserAutofill?: boolean }

export const hasPasskeys = () => 'PublicKeyCredential' in window

const askForSignIn = ({ eph_token, useBrowserAutofill }: Ask): Promise<PasskeyProof> =>
  askAuthenticator(call(passkeyLoginOptions, { body: { eph_token } }), useBrowserAutofill)

/** Questions that somebody pressed for and has not answered. */
let open = 0

export async function askPasskey(asked: Pick<Ask, 'eph_token'>) {
  open++
  return askForSignIn(asked).finally(() => open--)
}

export async function provePasskeyAgain() {
  const body = await askAuthenticator(call(passkeyProofOptions, { body: {} }))
  return call(provePasskey, { body })
}

let newest = 0

/** Each question withdraws the one before it, so that an offer whose options come late must not follow what was pressed meanwhile. */
async function askAuthenticator(begun: Promise<Ceremony>, useBrowserAutofill = false) {
  const question = ++newest
  const [{ startAuthentication }, { challenge_id, options }] = await Promise.all([
    import('@simplewebauthn/browser'),
    begun,
  ])
  if (question !== newest) throw new Error('Another question for a passkey took the place of this one')
  const response = await startAuthentication({ optionsJSON: asRequest(options), useBrowserAutofill })
  return { challenge_id, response: { ...response } }
}

export async function offerPasskeys() {
  const canOffer = !open && hasPasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable?.())
  return canOffer ? askForSignIn({ useBrowserAutofill: true }) : undefined
}

export async function withdrawPasskeys() {
  if (!hasPasskeys()) return
  newest++
  const { WebAuthnAbortService } = await import('@simplewebauthn/browser')
  WebAuthnAbortService.cancelCeremony()
}

// The contract leaves the shape to the WebAuthn libraries on both sides.
const asRequest = (options: Record<string, unknown>) => options as unknown as PublicKeyCredentialRequestOptionsJSON
