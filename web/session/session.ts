import { computed, effect, signal } from '@preact/signals-react'
import { useSignals } from '@preact/signals-react/runtime'
import * as z from 'zod'
import { Tokens, User } from '../../worker/auth/contract'
import { findKept, keep } from '../lib/kept'

const storageKey = 'EarshotHears'

const Organization = z.object({ id: z.int(), name: z.string() })
type Organization = z.output<typeof Organization>

const Session = z.object({
  user: User.nullable(),
  org: Organization.nullable(),
  tokens: Tokens.nullable(),
  authenticated: z.boolean(),
})
type Session = z.output<typeof Session>

const signedOut: Session = { user: null, org: null, tokens: null, authenticated: false }

const session = signal(restore())
let ended = false
const identity = computed(() => `${session.value.user?.id}@${session.value.org?.id}`)

effect(() => keep(storageKey, JSON.stringify(session.value)))
addEventListener('storage', ({ key }) => {
  if (key === storageKey || key === null) rereadSession()
})

export function useSession() {
  useSignals()
  return session.value
}

export const isAuthenticated = () => session.peek().authenticated
export const currentTokens = () => session.peek().tokens
/** The user and the organization looked at. */
export const currentIdentity = () => identity.peek()
export const hasEnded = () => ended
export const isActing = () => session.peek().user?.is_acting ?? false
export const accessToken = () => currentTokens()?.access

export const setTokens = (tokens: z.output<typeof Tokens>) => update({ tokens })
export const setUser = (user: User) => update({ user })
export function startSession(user: User, org: Organization) {
  ended = false
  update({ user, org, authenticated: true })
}

export function resetSession() {
  session.value = signedOut
}

/** By its age or from elsewhere, while somebody was at work. */
export function loseSession() {
  ended = true
  resetSession()
}

/** Another tab may have written in the meantime. */
export function rereadSession() {
  session.value = restore()
}

/** Calls back when the user or the organization changes, in another tab, too. */
export function onIdentityChange(callback: () => void) {
  let known = identity.peek()
  return effect(() => {
    if (identity.value === known) return
    known = identity.value
    callback()
  })
}

function update(part: Partial<Session>) {
  session.value = { ...session.peek(), ...part }
}

function restore(): Session {
  try {
    return Session.parse(JSON.parse(findKept(storageKey) ?? ''))
  } catch {
    return signedOut
  }
}
