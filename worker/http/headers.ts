import type { MiddlewareHandler } from 'hono'
import { bookmarkHeader } from './bookmark'
import type { App } from './route'

const inert = "default-src 'none'; frame-ancestors 'none'"

/** Forbids framing, sniffing, caching and any content, unless the handler says otherwise. Assets have web/public/_headers. */
export const apiHeaders: MiddlewareHandler<App> = async (c, next) => {
  await next()
  const { headers } = c.res
  c.header('x-request-id', c.get('request'))
  c.header('cache-control', headers.get('cache-control') ?? 'no-store')
  c.header('x-content-type-options', 'nosniff')
  c.header('referrer-policy', 'no-referrer')
  c.header('strict-transport-security', 'max-age=63072000; includeSubDomains')
  c.header('content-security-policy', headers.get('content-security-policy') ?? inert)
  const bookmark = c.get('session').bookmark()
  // Public answers stay in caches.
  if (bookmark && (c.get('actor') || c.req.method !== 'GET')) c.header(bookmarkHeader, bookmark)
  if (c.env.METER === '1') {
    const { queries, trips, copies, rows_read, rows_written, duration_ms } = c.get('db').meter
    c.header(
      'server-timing',
      `db;dur=${duration_ms};desc="queries=${queries} read=${rows_read} written=${rows_written} trips=${trips} copies=${copies}"`,
    )
  }
}
