import { beforeEach, expect, test } from 'vitest'
import { aKnownWorld, known } from './support/known-world'
import { anOrg, password, postJson } from './support/org'
import { anS2Scene, vulnForm } from './support/s2-scene'
import type { World } from './support/world'

let world: World
beforeEach(async () => {
  world = await aKnownWorld()
})

const filters = [
  `cveid=${known.cveid}`,
  'cveid__contains=2026-10001',
  'cveid__icontains=cve-2026-10001',
  'summary__contains=Widget',
  'summary__icontains=widget',
  'vendor_name=acme',
  'vendor_name__icontains=ACM',
  'product_name=widget',
  'product_name__contains=widg',
  'score__gt=1',
  'cvss=10',
  'cvss__gt=9',
  'cvss__gte=9&cvss__lte=10',
  'cvss3=9.8',
  'cvss3__gte=9.8',
  'cvss3__lt=9.9',
  'cvss_vector=AV:N/AC:L/Au:N/C:C/I:C/A:C',
  'cvss_vector__contains=AC:L',
  'cvss3_vector__icontains=ac:l',
  'is_exploitable=true',
  'is_confirmed=true',
  'summary=A flaw in Widget lets a visitor run what he likes.',
  'is_in_the_wild=true',
  'published__date=2026-11-18',
  'published__date__gt=2026-11-17',
  'published__date__gte=2026-11-18',
  'published__date__lt=2026-11-19',
  'published__date__lte=2026-11-18',
]

test('GET /api/vulns/ takes each attribute and criteria of S2, section 9', async () => {
  const { ask } = await anS2Scene(world)
  const found = async (filter: string) => {
    const { results } = (await (await ask('GET', `/api/vulns/?${filter}`)).json()) as { results: { id: number }[] }
    return results.map(({ id }) => id)
  }
  expect(await found('')).toHaveLength(2)
  for (const filter of filters) expect([filter, await found(filter)]).toEqual([filter, [1]])
  expect(await found('is_in_the_news=true')).toEqual([])
})

test('POST /api/vulns/edit changes what was added', async () => {
  const { ask } = await anS2Scene(world)
  const { id } = (await (await ask('POST', '/api/vulns/add', vulnForm)).json()) as { id: number }
  const edited = await ask('POST', '/api/vulns/edit', { ...vulnForm, id, summary: 'A flaw of ours, mended' })
  const seen = await ask('GET', `/api/vulns/${id}/`)
  expect([edited.status, await seen.json()]).toEqual([
    200,
    expect.objectContaining({ summary: 'A flaw of ours, mended' }),
  ])
})

test('POST obtain-token answers tokens, and POST refresh-token their successors', async () => {
  const { username } = await anOrg({ world })
  const obtained = await postJson(world, '/api/public/jwt-auth/obtain-token/', { username, password })
  const { refresh } = (await obtained.json()) as { refresh: string }
  const refreshed = await postJson(world, '/api/public/jwt-auth/refresh-token/', { refresh })
  expect([refreshed.status, await refreshed.json()]).toEqual([
    200,
    { access: expect.any(String), refresh: expect.any(String) },
  ])
})

test('a credential that is not valid is answered 401 with its code, whatever is asked', async () => {
  for (const path of ['/api/vulns/', '/api/kb/vendors/', '/api/exploits/', '/users/api/current']) {
    const response = await world.request(path, { headers: { authorization: 'JWT x.y.z' } })
    expect([response.status, await response.json()]).toEqual([
      401,
      expect.objectContaining({ code: 'token_not_valid' }),
    ])
  }
})
