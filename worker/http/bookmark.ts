import type { Context } from 'hono'
import type { App } from './route'

export const bookmarkHeader = 'x-d1-bookmark'
const form = /^[0-9a-f]{8}(?:-[0-9a-f]{8}){2}-[0-9a-f]{32}$/

/** What the caller has seen of the database; anything else that stands there counts as nothing. */
export function readBookmark(c: Context<App>) {
  const given = c.req.header(bookmarkHeader)
  return given && form.test(given) ? given : undefined
}
