import { expect, test } from 'vitest'
import { eachTest } from './support/each-test'
import { expectAnswers, apiToken, personalToken, type Exchange } from './support/client'
import { asJson } from '../support/client-walk'
import { accountExchanges } from './support/account-exchanges'
import { sharedExchanges } from './support/exchanges'
import { readingExchanges } from './support/reading-exchanges'
import { aKnownWorld } from './support/known-world'

const world = eachTest(aKnownWorld)

/** Exchanges of clients of this style alone. */
const ownExchanges: Record<string, Exchange[]> = {
  'of this style alone': [
    {
      call: 'POST /api/vulns/add',
      body: {
        summary: 'Named as rows of a list',
        products: [{ id: 1 }, { vendor: 'acme', name: 'widget' }, { vendor_name: 'acme', product_name: 'widget' }],
      },
      reply: expect.objectContaining({ status: 'success' }),
    },
  ],
}

test.each(Object.entries({ ...sharedExchanges, ...accountExchanges, ...readingExchanges, ...ownExchanges }))(
  'a client with JSON and an API token: %s',
  (title, exchanges) => {
    const authorization = title === 'another organization' ? personalToken : apiToken
    return expectAnswers(world, { encode: asJson, authorization }, exchanges)
  },
  60_000,
)
