import { beforeEach, expect, test } from 'vitest'
import { aClient, apiToken, asJson } from './support/client'
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
    call: 'POST /api/vulns/add',
    body: {
      summary: 'Named as rows of a list',
      products: [{ id: 1 }, { vendor: 'acme', name: 'widget' }, { vendor_name: 'acme', product_name: 'widget' }],
    },
    reply: expect.objectContaining({ status: 'success' }),
  },
]

test.each([...sharedExchanges, ...ownExchanges])(
  'a client with JSON and an API token: $call',
  async ({ call, body, status = 200, reply }) => {
    const { ask, scene } = await aClient(world, { encode: asJson, authorization: apiToken })
    const sent = typeof body === 'function' ? body(scene) : body
    expect(await ask(fillIn(call, scene), sent)).toEqual({ status, body: reply })
  },
)
