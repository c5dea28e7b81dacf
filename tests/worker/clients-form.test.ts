import { beforeEach, expect, test } from 'vitest'
import { aClient, jwt, asForm } from './support/client'
import { fillIn, sharedExchanges } from './support/exchanges'
import type { Exchange } from './support/client'
import { aKnownWorld } from './support/known-world'
import type { World } from './support/world'

let world: World
beforeEach(async () => {
  world = await aKnownWorld()
})

/** What only clients of this style send. */
const ownExchanges: Exchange[] = [
  {
    call: 'POST /api/vulns/1/exploits/edit',
    body: ({ exploit_id }) => ({ id: exploit_id, link: 'https://acme.example/form', trust_level: 'trusted' }),
    reply: expect.objectContaining({ link: 'https://acme.example/form', trust_level: 'high' }),
  },
]

test.each([...sharedExchanges, ...ownExchanges])(
  'a client with forms, GET aliases and JWT: $call',
  async ({ call, body, status = 200, reply }) => {
    const { ask, scene } = await aClient(world, { encode: asForm, authorization: jwt })
    const sent = typeof body === 'function' ? body(scene) : body
    expect(await ask(fillIn(call, scene), sent)).toEqual({ status, body: reply })
  },
)
