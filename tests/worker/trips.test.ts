import { expect, test } from 'vitest'
import { loadApi } from '../../worker/features'
import { aKnownWorld } from './support/known-world'
import { aVictim, signedInAs } from './support/victim'
import { peoplePolicy } from './support/walk-people'
import { vulnsPolicy } from './support/walk-vulns'

const policy = { ...peoplePolicy, ...vulnsPolicy }
const trips = ({ headers }: Response) => Number(/ trips=(\d+)/.exec(headers.get('server-timing') ?? '')?.[1])

/** The most trips that a reading call makes to the database, who calls included; some make more, and no more than so many. */
const most = 3
const more = new Map([
  ['/api/alerts/channels/', 4],
  ['/api/alerts/proof/', 4],
  ['/api/alerts/routes/', 7],
  ['/api/alerts/why/:id', 16],
  ['/api/audit/', 5],
  ['/api/inventories/:name/components', 4],
  ['/api/inventories/:name/findings', 5],
  ['/api/inventories/:name/upgrades', 5],
  ['/api/inventories/:name/vulns', 5],
  ['/api/kb/detailed-products/:id/', 4],
  ['/api/kb/packages/', 4],
  ['/api/kb/vendors/:name/products', 4],
  ['/api/monitor/export/:kind', 4],
  ['/api/public/vulns/:id/', 5],
  ['/api/public/vulns/:id/export/json', 11],
  ['/api/reports/:schedule/now', 5],
  ['/api/reports/sample', 8],
  ['/api/vulns/:id/', 5],
  ['/api/vulns/:id/cpes', 5],
  ['/api/vulns/:id/export/json', 5],
  ['/api/vulns/:id/orgvulnmetadata', 5],
  ['/api/vulns/desk', 4],
  ['/api/vulns/news', 4],
  ['/users/org/:org_id/settings', 5],
  ['/users/profile/totp/create', 5],
])

/** What people see first and most often, and the most trips of each. */
const screens = new Map([
  ['/api/vulns/', 1],
  ['/api/vulns/?monitored=true', 1],
  ['/api/vulns/?sorted_by=-score', 1],
  ['/api/vulns/?count=quick', 1],
  ['/api/vulns/?count=quick&fields=id,cveid', 1],
  ['/api/vulns/?vendor=acme', 1],
  ['/api/vulns/?q=kev', 1],
  ['/api/vulns/?search=widget', 3],
  ['/api/vulns/?sorted_by=risk&monitored=true', 3],
  ['/api/vulns/count', 1],
  ['/api/vulns/count?monitored=true', 3],
  ['/api/vulns/stats', 1],
  ['/api/vulns/latest', 2],
  ['/api/vulns/desk', 4],
  ['/api/vulns/news', 4],
  ['/api/vulns/1/', 5],
  ['/api/vulns/1/history', 1],
  ['/api/views/', 1],
  ['/api/alerts/', 2],
  ['/api/monitor/items/vendors', 3],
  ['/api/monitor/items/products', 3],
  ['/api/monitor/items/packages', 3],
  ['/api/inventories/', 1],
  ['/users/api/current', 1],
])

async function aScene() {
  const world = await aKnownWorld({ METER: '1' })
  const victim = await aVictim(world)
  const authorization = await signedInAs(world, victim.boss)
  return { victim, get: (path: string) => world.request(path, { headers: { authorization } }) }
}

/** What is counted anew now and then is counted by the first call, and by one at the turn of an hour. */
async function isWithin(get: (path: string) => Promise<Response>, path: string, limit: number) {
  await get(path)
  return trips(await get(path)) <= limit || trips(await get(path)) <= limit
}

test('no reading call makes more trips than its line says', async () => {
  const { victim, get } = await aScene()
  const over: string[] = []
  const reading = (await loadApi()).filter(({ contract }) => contract.method === 'GET')
  for (const { contract } of reading) {
    const { params = {}, query = {} } = policy[`GET ${contract.path}`]?.[1]?.(victim) ?? {}
    const filled = contract.path.replace(/:(\w+)/g, (_, name: string) => String(params[name] ?? 'none'))
    const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
    if (!(await isWithin(get, `${filled}?${search}`, more.get(contract.path) ?? most))) over.push(contract.path)
  }
  expect(over).toEqual([])
  const paths = new Set(reading.map(({ contract }) => contract.path))
  expect([...more.keys()].filter((path) => !paths.has(path))).toEqual([])
}, 180_000)

test('the screens that people see first make few trips', async () => {
  const { get } = await aScene()
  const over: string[] = []
  for (const [path, limit] of screens) {
    if (!(await isWithin(get, path, limit))) over.push(path)
  }
  expect(over).toEqual([])
})
