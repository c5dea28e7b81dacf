import { route } from '../http/route'
import { subscribeNewsletter } from './contract'
import { subscribe } from './newsletter'

export const newsletterRoutes = [
  route(subscribeNewsletter).handle(async ({ db, body, env, client, now }) => {
    await subscribe(db, body.email, { env, client, now })
    return { status: 'success' as const }
  }),
]
