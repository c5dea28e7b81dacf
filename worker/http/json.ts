import { withoutTurns } from '../domain/people/name'

/** All data leave through it, so that no screen shows a text from outside turned around. */
export const toJson = (value: unknown) => withoutTurns(JSON.stringify(value))

export const jsonResponse = (value: unknown, headers: Record<string, string> = {}) =>
  new Response(toJson(value), { headers: { 'content-type': 'application/json', ...headers } })
