import { expect, test } from 'vitest'
import { loadApi } from '../../worker/features'
import { listFields } from './support/random-requests'
import { aKnownWorld } from './support/known-world'
import { aVictim, emptyOrg, signedInAs } from './support/victim'

const reads = (await loadApi()).map(({ contract }) => contract).filter(({ method }) => method === 'GET')
const paged = reads.filter((contract) =>
  ['page', 'limit'].every((field) => listFields(contract, 'query').includes(field)),
)
type Answer = { next?: string | null; results?: unknown[]; code?: string }

async function aReader() {
  const world = await aKnownWorld()
  const own = await aVictim(world)
  const admin = await (await emptyOrg(world, 'root')).aUser('admin', { is_admin: true })
  const all = {
    org_id: own.org_id,
    user_id: own.boss.user_id,
    id: 1,
    kind: 'vulns',
    cveid: 'CVE-2026-10001',
    query: 'flaw',
  }
  const params: Record<string, string | number> = {
    ...all,
    format: 'json',
    year: 2024,
    eid: own.exploit_id,
    name: own.name,
  }
  const authorizations = [await signedInAs(world, own.boss), await signedInAs(world, admin)]
  async function ask(path: string, headers: Record<string, string>) {
    const response = await world.request(path, { headers, redirect: 'manual' })
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return { status: response.status, body: (isJson ? await response.json() : null) as Answer | null }
  }
  /** Of the organization's admin, or of a global admin where only they may. */
  async function askSigned(path: string) {
    const [boss = '', root = ''] = authorizations
    const answer = await ask(path, { authorization: boss })
    return answer.status === 403 || answer.status === 404 ? ask(path, { authorization: root }) : answer
  }
  const fill = (path: string) =>
    path
      .replace('/vendors/:name', '/vendors/acme')
      .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? 1))
  return { world, ask, askSigned, fill }
}

test('each path answers with and without a slash at its end, and each of /users/ below /api/, too', async () => {
  const { askSigned, fill } = await aReader()
  const faults: string[] = []
  for (const { path } of reads) {
    const bare = fill(path).replace(/\/$/, '')
    const expected = (await askSigned(bare)).status
    const others = [`${bare}/`, ...(bare.startsWith('/users/') ? [`/api${bare}`, `/api${bare}/`] : [])]
    for (const other of others) {
      const { status } = await askSigned(other)
      if (status !== expected) faults.push(`${other} answers ${status}, ${bare} ${expected}`)
    }
    if (expected >= 300 && expected < 400 && !path.includes('sso')) faults.push(`${bare} redirects`)
  }
  expect(faults).toEqual([])
}, 60_000)

test('a public route answers alike whatever header is over', async () => {
  const { ask, fill } = await aReader()
  const faults: string[] = []
  for (const { path } of reads.filter(({ access }) => access === 'public')) {
    const without = await ask(fill(path), {})
    for (const authorization of ['JWT an.old.one', 'Token 0000', 'Bearer', 'Basic eDp5'])
      if (JSON.stringify(await ask(fill(path), { authorization })) !== JSON.stringify(without))
        faults.push(`${path} with ${authorization}`)
  }
  expect(faults).toEqual([])
}, 60_000)

test('the last page of each list has no next one, and an order that it does not know is refused', async () => {
  const { askSigned, fill } = await aReader()
  const faults: string[] = []
  for (const contract of paged) {
    const path = fill(contract.path)
    const last = await askSigned(`${path}?page=50&limit=100`)
    if (last.status !== 200 || (!Array.isArray(last.body) && last.body?.next !== null))
      faults.push(`${contract.path} page 50: ${last.status} ${JSON.stringify(last.body).slice(0, 200)}`)
    let next: string | null = `${path}?page=1&limit=1`
    for (let pages = 0; next !== null && pages <= 200; pages++) {
      const { body }: { body: Answer | null } = await askSigned(next)
      next = body?.next ?? null
      if (pages === 200) faults.push(`${contract.path} has no end`)
    }
    if (!listFields(contract, 'query').includes('sorted_by')) continue
    const { status, body } = await askSigned(`${path}?sorted_by=colour`)
    if (status !== 400 || body?.code !== 'invalid') faults.push(`${contract.path} sorted by colour: ${status}`)
  }
  expect(paged.length).toBeGreaterThan(20)
  expect(faults).toEqual([])
}, 60_000)
