import { expect, test } from 'vitest'
import { eachTest } from './support/each-test'
import { expectAnswers, jwt, type Exchange } from './support/client'
import { asForm } from '../support/client-walk'
import { accountExchanges } from './support/account-exchanges'
import { sharedExchanges } from './support/exchanges'
import { readingExchanges } from './support/reading-exchanges'
import { aKnownWorld } from './support/known-world'
import { anOrg } from './support/org'

const world = eachTest(aKnownWorld)

/** Exchanges of clients of this style alone. */
const ownExchanges: Record<string, Exchange[]> = {
  'of this style alone': [
    {
      call: 'POST /api/vulns/1/exploits/edit',
      body: ({ exploit_id }) => ({ id: exploit_id, link: 'https://acme.example/form', trust_level: 'trusted' }),
      reply: expect.objectContaining({ link: 'https://acme.example/form', trust_level: 'high' }),
    },
  ],
}

test.each([
  ['application/vnd.platform+json', '{"body":"Seen"}'],
  ['application/json; profile="https://acme.example/form"', '{"body":"Seen"}'],
  ['Application/X-WWW-Form-URLencoded; charset=UTF-8', 'body=Seen'],
])('a body of the type %s is read as what it is', async (type, body) => {
  const { access } = await anOrg({ world })
  const headers = { authorization: `JWT ${access}`, 'content-type': type }
  const answer = await world.request('/api/vulns/1/comments', { method: 'POST', headers, body })
  expect([answer.status, await answer.json()]).toEqual([201, expect.objectContaining({ body: 'Seen' })])
})

test.each(Object.entries({ ...sharedExchanges, ...accountExchanges, ...readingExchanges, ...ownExchanges }))(
  'a client with forms, GET aliases and JWT: %s',
  (_, exchanges) => expectAnswers(world, { encode: asForm, authorization: jwt }, exchanges),
  60_000,
)
