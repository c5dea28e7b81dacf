import { withoutTurns } from '../domain/people/name'

/** All data leave through it, so that no screen shows a text from outside turned around. */
export const toJson = (value: unknown) => withoutTurns(JSON.stringify(value))

export const jsonResponse = (value: unknown, headers: Record<string, string> = {}) =>
  new Response(toJson(value), { headers: { 'content-type': 'application/json', ...headers } })

/** Of a text that is parsed at once: the smallest values take 20 times their text in memory. */
export const maxValues = 1_000_000

/** Signs inside of texts count, too: no document comes near the limit. */
export function isTooDense(text: string, start = 0, end = text.length) {
  // Each value takes two characters at least.
  if (end - start < 2 * maxValues) return false
  let values = 0
  for (let at = start; at < end && values <= maxValues; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x2c || code === 0x5b || code === 0x7b) values++
    // The name of a member is held, too.
    else if (code === 0x3a && (text.charCodeAt(at - 1) === 0x22 || text.charCodeAt(at - 1) <= 0x20)) values++
  }
  return values > maxValues
}
