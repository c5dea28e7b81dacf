import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Scheduler } from './support/scheduler.ts'

test('results of the platform come in the order of the calls, whichever ends first', async () => {
  const scheduler = new Scheduler(1, 0)
  const ended: number[] = []
  const compute = (ms: number) => scheduler.outsideOf(sleep(ms)).then(() => ended.push(ms))
  await scheduler.drive(Promise.all([20, 10, 0].map(compute)))
  expect(ended).toEqual([20, 10, 0])
})
