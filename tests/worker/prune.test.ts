import { expect, test } from 'vitest'
import { sweepSignIns } from '../../worker/auth/sweep'
import { openDb } from '../../worker/db/open'
import { stamp } from '../../worker/db/time'
import { beforeWriting } from './support/before-writing'
import { rows } from './support/org'
import { aWorld } from './support/world'

test('old rows go in steps, which go on where one was killed or an invocation had asked enough', async () => {
  const { env } = aWorld()
  const now = new Date()
  const numbers = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 7000)'
  await rows(
    env,
    `${numbers} INSERT INTO throttles(key, failures, blocked_until, last_at)
     SELECT printf('%05d', i), 1, '', iif(i % 100, '2020-01-01T00:00:00Z', ?1) FROM n`,
    stamp(now),
  )
  const left = async () => [
    await rows(env, 'SELECT count(*) AS count FROM throttles'),
    await rows(env, 'SELECT * FROM prunings'),
  ]
  let steps = 0
  const dieInThird = async () => {
    if (++steps === 3) throw new Error('Gone')
  }
  const DB = beforeWriting(env.DB, 'DELETE FROM "throttles"', dieInThird)
  await expect(sweepSignIns(openDb({ ...env, DB }), now)).rejects.toThrow('Gone')
  expect(await left()).toEqual([[{ count: 5_020 }], [{ name: 'throttles', after: '["02000"]' }]])
  const spent = openDb(env)
  spent.meter.queries = 398
  expect(await sweepSignIns(spent, now)).toBe('more')
  expect(await left()).toEqual([[{ count: 4_030 }], [{ name: 'throttles', after: '["03000"]' }]])
  expect(await sweepSignIns(openDb(env), now)).toBe('done')
  expect(await left()).toEqual([[{ count: 70 }], []])
})

test('an invocation goes on with the first table that is not finished', async () => {
  const { env } = aWorld()
  const now = new Date()
  const makeOld = async (count: number) => {
    const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`
    await rows(
      env,
      `${numbers} INSERT INTO throttles(key, failures, blocked_until, last_at) SELECT i, 1, '', '2020-01-01T00:00:00Z' FROM n`,
    )
  }
  const countThrottles = async () => (await rows<{ count: number }>(env, 'SELECT count(*) AS count FROM throttles'))[0]
  const marks = () => rows(env, 'SELECT * FROM prunings')
  const spend = async (queries: number) => {
    const spent = openDb(env)
    spent.meter.queries = 400 - queries
    return sweepSignIns(spent, now)
  }
  // Two steps after the marks are read; then the queries end, or with the next table, which is empty.
  for (const [queries, next] of [
    [7, 'challenges'],
    [10, 'links'],
  ] as const) {
    await makeOld(1_500)
    expect(await spend(queries)).toBe('more')
    expect([await marks(), await countThrottles()]).toEqual([[{ name: next, after: '' }], { count: 0 }])
    await makeOld(1)
    expect(await sweepSignIns(openDb(env), now)).toBe('done')
    expect([await marks(), await countThrottles()]).toEqual([[], { count: 1 }])
    expect(await sweepSignIns(openDb(env), now)).toBe('done')
    expect(await countThrottles()).toEqual({ count: 0 })
  }
})
