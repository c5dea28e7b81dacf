import type { Context } from 'hono'
import type { App } from './route'

/**
 * The address that Cloudflare saw. Where no Cloudflare stands in front (`npm start`), the header is whatever the caller
 * writes, so it is not believed.
 */
export const clientAddress = (c: Context<App>) =>
  c.env.TRUST_PROXY === '0' ? '' : (c.req.header('cf-connecting-ip') ?? '')
