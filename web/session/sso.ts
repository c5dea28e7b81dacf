import * as z from 'zod'
import { startSso } from '../../worker/auth/sso/contract'
import { call } from '../lib/call'
import { keep, readKept } from '../lib/kept'

const storageKey = 'EarshotSso'
const Begun = z.object({ state: z.string(), next: z.string() })

export async function leaveForSso({ email, next }: { email: string; next: string }) {
  const { url } = await call(startSso, { body: { email } })
  const state = new URL(url).searchParams.get('state')
  keep(storageKey, JSON.stringify({ state, next }), 'tab')
  location.assign(url)
}

/** Accepts only an answer that this browser asked for: a stranger's link must sign nobody in. */
export function takeSso(state: string) {
  const begun = Begun.safeParse(readKept(storageKey, 'tab')).data
  keep(storageKey, null, 'tab')
  return begun?.state === state ? begun.next : undefined
}
