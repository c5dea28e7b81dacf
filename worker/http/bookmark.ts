import type { Context } from 'hono'
import type { App } from './route'

export const bookmarkHeader = 'x-d1-bookmark'
const form = /^[0-9a-f]{8}(?:-[0-9a-f]{8}){2}-[0-9a-f]{32}$/

/** State of the database that the caller has seen; any other text counts as none. */
export function readBookmark(c: Context<App>) {
  const given = c.req.header(bookmarkHeader)
  return given && form.test(given) ? given : undefined
}
