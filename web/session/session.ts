import { computed, effect, signal } from '@preact/signals-react'
import { useSignals } from '@preact/signals-react/runtime'
import * as z from 'zod'
import { Tokens, User } from '../../worker/auth/contract'
import { keep, readKept } from '../lib/kept'
import { hasTyped } from '../lib/typed'
import { identify, sessionKey } from './kept-session'

const Organization = z.object({ id: z.int(), name: z.string() })
type Organization = z.output<typeof Organization>

const Session = z.object({
  user: User.nullable(),
  org: Organization.nullable(),
  tokens: Tokens.nullable(),
  authenticated: z.boolean(),
  /** By its age or from elsewhere, and not by its owner. */
  ended: z.boolean().optional(),
})
type Session = z.output<typeof Session>

const signedOut: Session = { user: null, org: null, tokens: null, authenticated: false }

const session = signal(restore())
let ended = false
/** One that ended while somebody filled in a form: the page stays as it is until they sign in again, or leave it. */
const held = signal<Session | null>(null)
const shown = computed(() => held.value ?? session.value)
const identity = computed(() => identify(shown.value))

effect(() => keep(sessionKey, JSON.stringify(session.value)))
addEventListener('storage', ({ key }) => {
  if (key === sessionKey || key === null) rereadSession()
})

export function useSession() {
  useSignals()
  return shown.value
}

export function useHeld() {
  useSignals()
  return held.value !== null
}

export const isAuthenticated = () => session.peek().authenticated
export const currentTokens = () => session.peek().tokens
/** The user and the organization looked at. */
export const currentOrgId = () => session.peek().org?.id
export const currentIdentity = () => identity.peek()
export const hasEnded = () => ended
export const isActing = () => session.peek().user?.is_acting ?? false
export const accessToken = () => currentTokens()?.access

export const setTokens = (tokens: z.output<typeof Tokens>) => update({ tokens })
export const setUser = (user: User) => update({ user })
export function startSession(user: User, org: Organization) {
  ended = false
  held.value = null
  update({ user, org, authenticated: true, ended: false })
}

export const leaveHeld = () => void (held.value = null)

export function resetSession() {
  session.value = signedOut
}

/** By its age or from elsewhere, while somebody was at work. */
export function loseSession() {
  ended = true
  hold()
  session.value = { ...signedOut, ended }
}

function hold() {
  if (session.peek().authenticated && hasTyped()) held.value = session.peek()
}

/** Another tab may have written in the meantime. */
export function rereadSession() {
  const read = restore()
  if (read.ended) hold()
  session.value = read
  if (read.authenticated) held.value = null
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
  return Session.safeParse(readKept(sessionKey)).data ?? signedOut
}
