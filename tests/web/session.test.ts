import { beforeEach, expect, test, vi } from 'vitest'
import { refreshToken } from '../../worker/auth/contract'
import { vulnStats } from '../../worker/home/contract'
import { authorizeCalls, call } from '../../web/lib/call'
import { renewAccess } from '../../web/session/renew'
import { accessToken, hasEnded, resetSession, setTokens } from '../../web/session/session'
import { fakeServer, type SeenRequest } from './support/server'

const stats = '/api/vulns/stats'
const afterWrite_ms = 2_001
const refresh = '/api/public/jwt-auth/refresh-token/'

const onlyFor = (good: string) => (request: SeenRequest) =>
  request.token === `JWT ${good}`
    ? { body: { vulns: 1 } }
    : { status: 401, body: { code: 'token_not_valid', message: 'Token is invalid or expired' } }

let now_ms = 0
beforeEach(() => {
  authorizeCalls({ access: accessToken, renew: renewAccess, prove: async () => false })
  resetSession()
  setTokens({ access: 'old', refresh: 'r1' })
  vi.spyOn(performance, 'now').mockImplementation(() => now_ms)
  now_ms += afterWrite_ms
})

test('calls that meet an expired token at once share one renewal and are repeated', async () => {
  const server = fakeServer({
    [`GET ${stats}`]: onlyFor('new'),
    [`POST ${refresh}`]: () => ({ body: { access: 'new', refresh: 'r2' } }),
  })

  const replies = await Promise.all([call(vulnStats), call(vulnStats), call(vulnStats)])

  expect(replies.map(({ vulns }) => vulns)).toEqual([1, 1, 1])
  expect(server.to(refresh).map(({ body }) => body)).toEqual([{ refresh: 'r1' }])
  expect(server.to(stats)).toHaveLength(6)
  expect(accessToken()).toBe('new')
})

test('a refused renewal ends the session, here and in storage', async () => {
  const server = fakeServer({
    [`GET ${stats}`]: onlyFor('new'),
    [`POST ${refresh}`]: () => ({ status: 401, body: { code: 'token_not_valid', message: 'Token is invalid' } }),
  })

  await expect(call(vulnStats)).rejects.toMatchObject({ status: 401, code: 'token_not_valid' })

  expect(server.to(refresh)).toHaveLength(1)
  expect(accessToken()).toBeUndefined()
  expect(hasEnded()).toBe(true)
  expect(JSON.parse(localStorage.getItem('EarshotHears') ?? '')).toMatchObject({ tokens: null, authenticated: false })
})

test('being offline during a renewal signs nobody out', async () => {
  fakeServer({
    [`GET ${stats}`]: onlyFor('new'),
    [`POST ${refresh}`]: () => Promise.reject(new TypeError('Failed to fetch')),
  })

  await expect(call(vulnStats)).rejects.toMatchObject({ status: 0, code: 'unreachable' })
  expect(accessToken()).toBe('old')
})

test('tokens that another tab has renewed meanwhile are taken, not renewed again', async () => {
  const server = fakeServer({ [`GET ${stats}`]: onlyFor('from another tab') })
  const stored = JSON.parse(localStorage.getItem('EarshotHears') ?? '')
  const tokens = { access: 'from another tab', refresh: 'r9' }
  localStorage.setItem('EarshotHears', JSON.stringify({ ...stored, tokens }))

  expect(await call(vulnStats)).toEqual({ vulns: 1 })
  expect(server.to(refresh)).toEqual([])
})

test('a failure keeps its status, code, message and issues', async () => {
  const issues = [{ path: ['limit'], message: 'Too big' }]
  fakeServer({
    [`GET ${stats}`]: () => ({ status: 400, body: { code: 'invalid', message: 'limit: Too big', issues } }),
  })

  await expect(call(vulnStats)).rejects.toMatchObject({
    status: 400,
    code: 'invalid',
    message: 'limit: Too big',
    issues,
  })
})

test('a call tells what was seen before, also by another tab, and never goes back but for another database', async () => {
  const answered = ['b', 'a', 'c', 'a', undefined]
  const sent: (string | null)[] = []
  const answers = answered.map((bookmark) => ({
    headers: new Map(bookmark === undefined ? [] : [['x-d1-bookmark', bookmark]]),
    body: { vulns: 1 },
  }))
  fakeServer({
    [`GET ${stats}`]: ({ headers }) => {
      sent.push(headers.get('x-d1-bookmark'))
      const { headers: told = new Map(), body = {} } = answers.shift() ?? {}
      return { headers: Object.fromEntries(told), body }
    },
  })
  localStorage.removeItem('EarshotSeen')
  await call(vulnStats)
  // Two at once, answered in the other order.
  localStorage.removeItem('EarshotSeen')
  await Promise.all([call(vulnStats), call(vulnStats)])
  await call(vulnStats)
  await call(vulnStats)
  expect(sent).toEqual([null, null, null, 'c', 'a'])
})

test('after a write the primary is asked for two seconds, as copies may not know it yet', async () => {
  const sent: (string | null)[] = []
  fakeServer({
    [`GET ${stats}`]: ({ headers }) => {
      sent.push(headers.get('x-d1-bookmark'))
      return { body: {} }
    },
    [`POST ${refresh}`]: () => ({ body: {} }),
  })
  localStorage.setItem('EarshotSeen', 'b')
  await call(refreshToken, { body: { refresh: 'r1' } })
  await call(vulnStats)
  now_ms += afterWrite_ms
  await call(vulnStats)
  expect(sent).toEqual([null, 'b'])
})
