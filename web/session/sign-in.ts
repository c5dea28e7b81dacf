import type * as z from 'zod'
import {
  currentUser,
  logout,
  obtainToken,
  passkeyLogin,
  recoveryLogin,
  setFirstOrg,
  totpLogin,
} from '../../worker/auth/contract'
import { finishSso } from '../../worker/auth/sso/contract'
import type { Login, MfaOwed, Tokens } from '../../worker/auth/contract'
import { ApiError, call } from '../lib/call'
import { lookAtOrg } from './known-org'
import { startSession, resetSession, setTokens } from './session'

export type Owed = z.output<typeof MfaOwed>
type Code = { eph_token: string; code: string }
export type PasskeyProof = { challenge_id: string; response: Record<string, unknown> }

export async function signInWithPassword(credentials: z.input<typeof Login>): Promise<Owed | undefined> {
  const answer = await call(obtainToken, { body: credentials }).catch(refuseCredentials)
  if ('token' in answer) return answer
  await enter(answer)
}

const wrongCode = 'Wrong 2FA code (or server error).'

export const signInWithCode = async ({ eph_token, code }: Code) =>
  enter(await call(totpLogin, { params: { code }, body: { eph_token } }).catch(refuse(wrongCode)))

export const signInWithRecoveryCode = async ({ eph_token, code }: Code) =>
  enter(await call(recoveryLogin, { body: { eph_token, code } }).catch(refuse(wrongCode)))

export const signInWithPasskey = async (proof: PasskeyProof) =>
  enter(await call(passkeyLogin, { body: proof }).catch(refuse('Unable to sign in with the passkey')))

export async function signInWithSso(answer: z.input<typeof finishSso.body & object>) {
  setTokens(await call(finishSso, { body: answer }))
  await open()
}

export async function signOut() {
  await call(logout, { body: {} }).catch(() => undefined)
  resetSession()
}

async function enter(tokens: z.output<typeof Tokens>) {
  setTokens(tokens)
  await call(setFirstOrg).catch(giveUp('Unable to get organisation'))
  await open()
}

async function open() {
  const [user] = await Promise.all([call(currentUser).catch(giveUp('Unable to get user')), lookAtOrg()])
  startSession(user, { id: user.current_org.org_id, name: user.current_org.org_name })
}

/** After five minutes or five tries the user has to give the password again. */
export const hasExpired = (error: unknown) => error instanceof ApiError && error.code === 'challenge_expired'

export class WrongCredentials extends Error {}

function refuseCredentials(cause: unknown): never {
  const isRefusal = cause instanceof ApiError && [400, 401].includes(cause.status)
  throw isRefusal ? new WrongCredentials('Wrong username or password', { cause }) : cause
}

// "Wait" and "begin again" keep the server's own words.
function refuse(message: string) {
  return (cause: unknown): never => {
    const isRefusal = cause instanceof ApiError && !isTold(cause)
    throw isRefusal ? new Error(message, { cause }) : cause
  }
}

const isTold = (error: ApiError) => error.status === 429 || hasExpired(error)

function giveUp(message: string) {
  return (cause: unknown): never => {
    resetSession()
    throw new Error(message, { cause })
  }
}
