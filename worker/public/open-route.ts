import type { Endpoint, Input, Schema } from '../http/endpoint'
import { jsonResponse } from '../http/json'
import { admitAddress } from '../http/rate-limit'
import { route, type RequestScope } from '../http/route'

export const cached = (seconds: number) => `public, max-age=${seconds}`
const replySeconds = 60

export const admitReader = ({ env, client }: Pick<RequestScope, 'env' | 'client'>) =>
  admitAddress(env, client.ip, 'read ')

/** Caches may keep its answers for a minute. */
export function openRoute<Reply, P extends Schema, Q extends Schema, B extends Schema>(
  contract: Endpoint<P, Q, B, Reply>,
  headers: (input: Input<P, Q, B>) => Record<string, string> = () => ({}),
) {
  return {
    handle: (handler: (request: Input<P, Q, B> & RequestScope) => Promise<Reply>) =>
      route(contract).handle(async (request) => {
        await admitReader(request)
        const reply = contract.reply.parse(await handler(request))
        return jsonResponse(reply, { 'cache-control': cached(replySeconds), ...headers(request) })
      }),
  }
}
