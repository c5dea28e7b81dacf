import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { runSync } from '../../worker/feeds/contract'
import { anOrg, postJson } from './support/org'
import { aWorld } from './support/world'

const lines: string[] = []
beforeEach(() => {
  lines.length = 0
  vi.spyOn(console, 'info').mockImplementation((line: string) => void lines.push(line))
})
afterEach(() => vi.restoreAllMocks())

const noted = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>)

test('the log of the platform tells who was refused what, and nothing of what was sent', async () => {
  const world = aWorld({ NOTE_REFUSALS: '1' })
  const { user_id, org_id, username, answer } = await anOrg({ world })
  const from = { 'cf-connecting-ip': '192.0.2.7' }
  await postJson(world, '/api/public/jwt-auth/obtain-token/', { username, password: 'Wrong-Horse\n-9!' }, from)
  await answer(runSync)
  await world.request('/users/sessions', { headers: { authorization: 'JWT s3cret' } })
  expect(noted()).toEqual([
    {
      event: 'refused',
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.+Z$/),
      status: 401,
      code: 'wrong_credentials',
      method: 'POST',
      route: '/api/public/jwt-auth/obtain-token',
      ip: '192.0.2.7',
    },
    expect.objectContaining({ status: 403, method: 'POST', route: '/api/data/sync/run', user_id, org_id }),
    expect.objectContaining({ status: 401, code: 'token_not_valid' }),
  ])
  expect(lines.join()).not.toMatch(/Wrong-Horse|s3cret/)
  expect(lines.filter((line) => line.includes('\n'))).toEqual([])
})

test('a merely wrong request is not noted', async () => {
  const world = aWorld({ NOTE_REFUSALS: '1' })
  const { call } = await anOrg({ world })
  await world.request('/api/nowhere')
  await expect(call(runSync)).rejects.toThrow('403')
  expect(noted().map(({ status }) => status)).toEqual([403])
})
