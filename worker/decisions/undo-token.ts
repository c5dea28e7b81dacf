import { seal, unseal } from '../auth/keys'
import type { Env } from '../env'
import { notFound } from '../http/errors'
import type { Undo } from './decide-contract'

/** The entries of the history that one batch wrote: they follow each other. */
export type Entries = { first: number; last: number }

/** The length of a number would tell how large it is. */
const digits = String(Number.MAX_SAFE_INTEGER).length
const write = (id: number) => String(id).padStart(digits, '0')

/** Entries are numbered over all organizations: sealed, their numbers tell nobody how many others decided. */
export const sealUndo = async (env: Env, entries: Entries | null): Promise<Undo> =>
  entries && seal(env, 'undo', `${write(entries.first)}-${write(entries.last)}`)

/** A forged token is answered as an old one. */
export async function openUndo(env: Env, tokens: string[]): Promise<Entries[]> {
  const texts = await Promise.all(tokens.map((token) => unseal(env, 'undo', token))).catch(() => {
    throw notFound('Change')
  })
  return texts.map((text) => {
    const [first = 0, last = 0] = text.split('-').map(Number)
    return { first, last }
  })
}
