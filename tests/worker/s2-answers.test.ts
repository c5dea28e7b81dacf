import { expect, test } from 'vitest'
import { eachTest } from './support/each-test'
import { aKnownWorld, known } from './support/known-world'
import { anOrg, postJson } from './support/org'
import { anS2Scene, vulnForm } from './support/s2-scene'
import { password } from '../support/credentials'

const world = eachTest(aKnownWorld)

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

const rowFields =
  'id uuid cveid summary published modified assigner cvss cvss_vector cvss3 cvss3_vector cvss4 cvss4_vector cwe_id access impact is_exploitable is_confirmed is_in_the_news is_in_the_wild exploit_count threat_activity_count cpe_count product_count score epss epss_percentile kev products monitored created_at updated_at'
const metadataFields = 'id uuid vuln_id cveid link notes trust_level trusted tlp_level source published modified scope'
const fieldsByPath: Record<string, string> = {
  '/api/vulns/': rowFields,
  '/api/vulns/1/': `${rowFields} cwe_name cwe_refs vulnerable_products vulnerable_product_versions vulnerable_packages_versions monitored_by reflinks`,
  '/api/exploits/': `${metadataFields} availability type maturity relevancy_level products vp`,
  '/api/threats/': `${metadataFields} is_in_the_wild is_in_the_news`,
  '/api/kb/vendors/': 'id name monitored products_count vulns_count updated_at',
  '/api/kb/products/': 'id name vendor vendor_id monitored updated_at',
  '/api/kb/detailed-products/1': 'id name vendor vendor_id monitored updated_at versions vulns_count',
  '/api/kb/packages/': 'id type name purl monitored updated_at vulns_cnt',
  '/api/kb/packages/1': 'id type name purl monitored updated_at vulns_cnt vulns vulnerable_packages_versions',
  '/api/kb/cve': 'id cve_id summary cvss cvss3 cvss_vector modified monitored',
  '/api/kb/cwe': 'id cwe_id name description refs',
  '/api/kb/bulletins': 'id publicid vendor title severity impact published monitored',
  '/api/kb/cpe': 'id title vector vendor product',
  '/api/vulns/stats': 'vulns exploits threats monitored vulns_exploitable',
  '/api/vulns/latest?timedelta=30': 'vulns exploits monitored_vulns',
  '/api/vulns/1/counter': 'count_exploit count_threat',
  '/api/vulns/1/orgvulnmetadata': 'comment status',
  '/api/vulns/1/history': 'date reason changes scope',
  '/api/vulns/1/export/json': 'vulnerability exploits org_exploits threats org_threats',
  '/api/ratings/calc/1': 'id vector score score_details cvssv2adj cvssV2adj vuln',
  '/api/search/widget?limit=20': 'type value',
  '/users/api/current':
    'id username first_name last_name email last_login is_superuser is_admin is_staff is_active is_authenticated is_org_admin mfa_enabled orgs current_org profile auth_token',
  '/users/profile': 'username email first_name last_name last_login auth_token mfa_enabled profile',
}
test('each answer has the fields that clients read, and a sparse row only the one that it is asked for', async () => {
  const { ask } = await anS2Scene(world)
  type Row = Record<string, unknown>
  const read = async (path: string) => {
    const answer = (await (await ask('GET', path)).json()) as Row & { results?: Row[] }
    return Array.isArray(answer) ? (answer[0] as Row) : (answer.results?.[0] ?? answer)
  }
  for (const [path, fields] of Object.entries(fieldsByPath))
    expect([path, Object.keys(await read(path))]).toEqual([path, expect.arrayContaining(fields.split(' '))])
  for (const field of fieldsByPath['/api/vulns/1/']?.split(' ') ?? [])
    expect(Object.keys(await read(`/api/vulns/?fields=${field}&limit=1`))).toEqual([field])
})
