import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser'
import { Refusal } from '../../lib/outcome'

const reasons = new Map([
  ['NotAllowedError', 'It was cancelled, or took too long.'],
  ['InvalidStateError', 'This device already has a passkey of yours.'],
])

export async function createPasskey(options: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { startRegistration } = await import('@simplewebauthn/browser')
  try {
    return { ...(await startRegistration({ optionsJSON: asCreation(options) })) }
  } catch (error) {
    const reason = error instanceof Error ? (reasons.get(error.name) ?? error.message) : ''
    throw new Refusal(reason, { cause: error })
  }
}

// The worker's library writes these options and the browser's library reads them; we only pass them on.
const asCreation = (options: Record<string, unknown>) =>
  options as Record<string, unknown> & PublicKeyCredentialCreationOptionsJSON
