import type { Context } from 'hono'
import type { App } from './route'

/** Without Cloudflare in front (`npm start`) the caller writes this header, so it is not believed. */
export const clientAddress = (c: Context<App>) =>
  c.env.TRUST_PROXY === '0' ? '' : (c.req.header('cf-connecting-ip') ?? '')
