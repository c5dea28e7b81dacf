import { afterEach, expect, test, vi } from 'vitest'
import golden from '../golden/same-story.json'
import { tellSameStory, type ToldWorld } from '../simulate/same-story'
import { foundingStatements } from '../support/founding'
import { fakeOrigins, originSettings } from './support/origins'
import { rows } from './support/org'
import { aWorld } from './support/world'

let restore = () => {}
afterEach(() => {
  restore()
  vi.useRealTimers()
})

test('a story ends in workerd as it ends in the simulator', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2027-01-04T00:00:00Z') })
  const origins = fakeOrigins()
  restore = origins.restore
  origins.instead = (url) => (url.host === 'receiver.test' ? new Response('{}') : null)
  const world = aWorld({
    ...originSettings,
    OSV_URL: 'https://osv.test',
    OSV_ECOSYSTEMS: 'npm',
    LOCAL_CHANNELS: '1',
  })
  await world.env.DB.batch(foundingStatements.map((sql) => world.env.DB.prepare(sql)))
  const later = (ms: number) => Promise.resolve(void vi.setSystemTime(Date.now() + ms))
  const told: ToldWorld = {
    problems: [],
    everybody: [],
    organizations: [],
    iso: () => new Date().toISOString().slice(0, 19),
    note: () => undefined,
    later,
    get now_ms() {
      return Date.now()
    },
    network: { origins },
    tickAfter: async (ms, cron) => {
      await later(ms)
      await world.tick(new Date(), cron)
      await world.drain()
    },
    rows: (sql) => rows<object>(world.env, sql),
    request: async (path, init) => {
      const response = await world.request(path, init)
      const bookmark = response.headers.get('x-d1-bookmark')
      await world.drain()
      return { status: response.status, text: await response.text(), bookmark, hasFault: false }
    },
  }
  expect(await tellSameStory(told)).toEqual(golden)
}, 120_000)
