import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { anOrg, expectAnswer } from './support/org'
import type { World } from './support/world'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** Sends a body that never ends; `pass` lets time pass once it is waited for. */
function sendForEver(world: World, path: string, method: string, access: string) {
  const asked = Promise.withResolvers<void>()
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(new Uint8Array(1_000).fill(0x20))
      return (asked.resolve(), new Promise(() => undefined))
    },
  })
  const answer = world.request(path, { method, headers: { authorization: `JWT ${access}` }, body })
  const pass = async (ms: number) => {
    await asked.promise
    while (vi.getTimerCount() === 0) await scheduler.wait(5)
    await vi.advanceTimersByTimeAsync(ms)
    return answer
  }
  return { pass }
}

test('a body that has not arrived after a minute is held no longer, nor is a document after five', async () => {
  const { world, access } = await anOrg()
  await expectAnswer(sendForEver(world, '/api/vulns/1/comments', 'POST', access).pass(61_000), 408, { code: 'slow' })
  const document = await sendForEver(world, '/api/inventories/shop', 'PUT', access).pass(301_000)
  expect([document.status, await document.text()]).toEqual([400, expect.stringContaining('longer than five minutes')])
})
