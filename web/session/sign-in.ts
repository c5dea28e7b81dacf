import type { z } from 'zod'
import { currentUser, logout, obtainToken, setFirstOrg } from '../../worker/auth/contract'
import type { Login } from '../../worker/auth/contract'
import { ApiError, call } from '../lib/call'
import { openSession, resetSession, setTokens } from './session'

export async function signIn(credentials: z.input<typeof Login>) {
  const answer = await call(obtainToken, { body: credentials }).catch(refuse)
  if ('token' in answer) throw new Error('A second factor is needed')
  setTokens(answer)

  const { org_id, org_name } = await call(setFirstOrg).catch(giveUp('Unable to get organisation'))
  const user = await call(currentUser).catch(giveUp('Unable to get user'))
  openSession(user, { id: org_id, name: org_name })
}

export async function signOut() {
  await call(logout, { body: {} }).catch(() => undefined)
  resetSession()
}

function refuse(error: unknown): never {
  const isWrong = error instanceof ApiError && (error.status === 401 || error.status === 400)
  throw isWrong ? new Error('Wrong username or password', { cause: error }) : error
}

function giveUp(message: string) {
  return (cause: unknown): never => {
    resetSession()
    throw new Error(message, { cause })
  }
}
