import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser'
import { passkeyProofOptions, provePasskey } from '../../worker/account/contract'
import { passkeyLoginOptions } from '../../worker/auth/contract'
import { call } from '../lib/call'
import type { PasskeyProof } from './sign-in'

type Ask = { eph_token?: string; useBrowserAutofill?: boolean }

export const hasPasskeys = () => 'PublicKeyCredential' in window

export async function askPasskey({ eph_token, useBrowserAutofill = false }: Ask): Promise<PasskeyProof> {
  const [{ startAuthentication }, { challenge_id, options }] = await Promise.all([
    import('@simplewebauthn/browser'),
    call(passkeyLoginOptions, { body: { eph_token } }),
  ])
  const response = await startAuthentication({ optionsJSON: asRequest(options), useBrowserAutofill })
  return { challenge_id, response: { ...response } }
}

export async function provePasskeyAgain() {
  const [{ startAuthentication }, { challenge_id, options }] = await Promise.all([
    import('@simplewebauthn/browser'),
    call(passkeyProofOptions, { body: {} }),
  ])
  const response = await startAuthentication({ optionsJSON: asRequest(options) })
  return call(provePasskey, { body: { challenge_id, response: { ...response } } })
}

export async function offerPasskeys() {
  const canOffer = hasPasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable?.())
  return canOffer ? askPasskey({ useBrowserAutofill: true }) : undefined
}

export async function withdrawPasskeys() {
  if (!hasPasskeys()) return
  const { WebAuthnAbortService } = await import('@simplewebauthn/browser')
  WebAuthnAbortService.cancelCeremony()
}

// The contract leaves the shape to the WebAuthn libraries on both sides.
const asRequest = (options: Record<string, unknown>) => options as unknown as PublicKeyCredentialRequestOptionsJSON
