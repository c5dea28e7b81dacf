import { expect, test } from 'vitest'
import { minutes } from './support/feeds-scene'
import { listUnapplied, decideFindings, dismissProposals } from '../../worker/inventories/proposal-contract'
import { listFindings } from '../../worker/inventories/finding-contract'
import { aVulnerablePackage, merge, send } from './support/inventory-scene'
import { anOrg } from './support/org'
import { fakeOrigins, originSettings } from './support/origins'
import { aWorld } from './support/world'

const base = 'https://hub.test/main'
const app = 'pkg:golang/example.com/app'
const part = (purl: string) => ({ '@id': purl, subcomponents: [{ '@id': 'pkg:golang/stdlib@v1.21.10' }] })
const said = (name: string, products: object[], more: object = {}) => ({
  vulnerability: { name, aliases: ['GO-2026-0001'] },
  products,
  status: 'not_affected',
  justification: 'vulnerable_code_not_present',
  ...more,
})
const aDocument = (statements: unknown[]) => ({
  '@context': 'https://openvex.dev/ns/v0.2.0',
  author: 'The App team',
  timestamp: '2026-03-23T11:38:00.123456789+04:00',
  statements,
})

/** A hub of a few documents, answered with versions as GitHub does. */
function aHub() {
  const origins = fakeOrigins()
  const files = new Map<string, object>()
  const asked: string[] = []
  origins.instead = async (url, request) => {
    if (url.host !== 'hub.test') return null
    const path = decodeURIComponent(url.pathname.slice('/main/'.length))
    const file = files.get(path)
    if (!file) return new Response('', { status: 404 })
    const text = JSON.stringify(file)
    const etag = `"${text.length}-${text.split('').reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 1_000_003, 7)}"`
    if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers: { etag } })
    asked.push(path)
    return new Response(text, { headers: { etag } })
  }
  files.set('vex-repository.json', { name: 'Test Hub', versions: [{ spec_version: '0.1', locations: [] }] })
  const list = (...packages: object[]) =>
    files.set('index.json', { updated_at: '2026-03-23T00:48:43.87933027Z', packages })
  const world = aWorld({ ...originSettings, VEXHUB_URL: base })
  async function sync(now = new Date()) {
    await world.tick(now)
    await world.drain()
    const [feed] = await world.sql`SELECT state, last_error FROM feeds WHERE id = 'vexhub'`
    return feed
  }
  const stored = () =>
    world.sql<Record<string, unknown>>`SELECT name, vuln, product, parts, author, said_at FROM vex_statements
      ORDER BY vuln, product, place`
  return { origins, files, asked, list, world, sync, stored }
}

test('a hub is read document by document, and only what changed is read again', async () => {
  const { origins, files, asked, list, world, sync, stored } = aHub()
  const [place, away] = ['pkg/golang/app/scan 1.json', 'pkg/golang/away.json']
  files.set(
    place,
    aDocument([
      said('cve-2026-1', [part(app), part(`${app}@v2`)]),
      said('CVE-2026-1', [part(app), part(`${app}@v2`)]),
      said('CVE-2026-2', [{ '@id': app }], { timestamp: '2026-04-01T00:00:00Z' }),
      // A product that is meant by a part alone is not meant as a whole.
      said('CVE-2026-3', [{ '@id': app, subcomponents: [{ '@id': 'the kernel' }] }]),
      said('CVE-2026-4', [{ '@id': 'an application' }]),
      said('CVE-2026-5', [{ '@id': app }], { status: 'perfect' }),
    ]),
  )
  list(
    { id: app, location: place },
    { id: 'pkg:golang/away', location: away },
    { id: 'pkg:golang/out', location: '../../secrets.json' },
    { id: 'nothing', location: 'x.json' },
    { id: 'pkg:golang/csaf', location: 'csaf.json', format: 'csaf' },
  )
  expect(await sync()).toEqual({ state: 'idle', last_error: null })
  const one = { name: 'example.com/app', author: 'The App team', said_at: '2026-03-23T07:38:00Z' }
  const stdlib = { ...one, parts: '["pkg:golang/stdlib@v1.21.10"]' }
  const [first, second, third] = [
    { ...stdlib, product: app },
    { ...stdlib, product: `${app}@v2` },
    { ...one, parts: '[]', product: app, said_at: '2026-04-01T00:00:00Z' },
  ]
  expect(await stored()).toEqual([
    { ...first, vuln: 'CVE-2026-1' },
    { ...second, vuln: 'CVE-2026-1' },
    { ...third, vuln: 'CVE-2026-2' },
    ...[first, third].map((row) => ({ ...row, vuln: 'GO-2026-0001' })),
    { ...second, vuln: 'GO-2026-0001' },
  ])
  const skipped = await world.sql<{ record_id: string; reason: string }>`SELECT record_id, reason
    FROM feed_skips WHERE feed_id = 'vexhub'`
  expect(skipped.map(({ reason }) => reason).toSorted()).toEqual([
    ': names no product by a purl',
    ': names no product by a purl',
    'format: only OpenVEX is read',
    'id: not a purl',
    'listed, and not there',
    'location: leads out of the hub',
    expect.stringMatching(/^status: /),
  ])
  expect(asked).toEqual(['index.json', 'vex-repository.json', place])

  asked.length = 0
  await sync(minutes(400))
  expect(asked).toEqual([])

  // The index has another version, and the document another statement; a broken document keeps its old one.
  files.set(place, aDocument([said('CVE-2026-2', [{ '@id': app }])]))
  files.set(away, { statements: [] })
  list({ id: app, location: place }, { id: 'pkg:golang/away', location: away })
  await sync(minutes(800))
  expect(await stored()).toEqual(
    ['CVE-2026-2', 'GO-2026-0001'].map((vuln) => ({ ...one, parts: '[]', product: app, vuln })),
  )

  files.set('vex-repository.json', { name: 'Test Hub', versions: [{ spec_version: '9' }] })
  list({ id: app, location: place })
  expect(await sync(minutes(1_200))).toMatchObject({ last_error: expect.stringContaining('version 0.1') })
  expect(await stored()).toHaveLength(2)
  origins.restore()
})

test('a hub’s statement on a product that is here is a proposal, which a person takes over or dismisses', async () => {
  const { origins, files, list, world, sync } = aHub()
  const cveid = 'CVE-2031-40001'
  await merge(world, {
    cveid,
    packages: [{ type: 'golang', name: 'stdlib', ranges: [{ order: 'semver', lt: '1.22.0' }] }],
  })
  const [org, other] = [await anOrg({ world, is_org_admin: true }), await anOrg({ world, is_org_admin: true })]
  const parts = ['pkg:golang/stdlib@v1.21.10', 'pkg:golang/stdlib@v1.21.9']
  await send(org, 'shop', ['pkg:golang/example.com/app@v2', ...parts])
  await send(org, 'older', ['pkg:golang/example.com/app@v1', ...parts])
  await send(other, 'shop', parts)
  const found = async (who = org, name = 'shop') =>
    (await who.call(listFindings, { params: { name }, query: { status: 'all', sorted_by: 'component' } })).results
  const proposed = async (who = org, name = 'shop') =>
    (await found(who, name)).flatMap(({ version, proposals }) => proposals.map((one) => ({ version, ...one })))
  const place = 'app.json'
  const aliased = (more: object) =>
    said('ACME-1', [part(`${app}@v2`)], {
      vulnerability: { name: 'ACME-1', aliases: [cveid] },
      ...more,
    })
  files.set(
    place,
    aDocument([
      aliased({ status: 'affected', timestamp: '2026-01-01T00:00:00Z', justification: undefined }),
      aliased({ impact_statement: 'Never called' }),
      ...Array.from({ length: 250 }, (_, at) =>
        aliased({ products: [part(`${app}@v3.${at}`)], timestamp: '2026-05-01T00:00:00Z' }),
      ),
    ]),
  )
  list({ id: app, location: place })
  expect(await proposed()).toEqual([])
  await sync()

  const author = `VEX Hub: The App team on ${app}@v2`
  const reason = { status: 'not_affected', justification: 'vulnerable_code_not_present', note: 'Never called' } as const
  const open = { author, ...reason, decided_at: '2026-03-23T07:38:00Z', dismissed_at: null }
  expect(await proposed()).toMatchObject([{ version: 'v1.21.10', ...open }])
  expect([await proposed(org, 'older'), await proposed(other)]).toEqual([[], []])
  expect((await found()).map(({ decision }) => decision)).toEqual([null, null])

  const { statements, ...others } = await org.call(listUnapplied, { params: { name: 'shop' } })
  expect(others).toEqual({ applied: 1, is_complete: true })
  expect([statements.length, statements.at(-1)?.reason]).toEqual([
    251,
    'A newer statement of its author stands in its place',
  ])
  expect(statements[0]).toMatchObject({
    vuln: 'ACME-1',
    reason: expect.stringMatching(
      /^It speaks of pkg:golang\/example\.com\/app@v3\.\d+, and here is pkg:golang\/example\.com\/app@v2$/,
    ),
  })
  const older = await org.call(listUnapplied, { params: { name: 'older' } })
  expect([older.applied, older.statements.length]).toEqual([0, 252])
  expect((await other.call(listUnapplied, { params: { name: 'shop' } })).statements).toEqual([])

  const [finding] = (await found()).filter(({ proposals }) => proposals.length)
  const findings = [{ vuln_id: finding?.vuln_id ?? 0, component_id: finding?.component_id ?? 0 }]
  const dismiss = async (dismissed: boolean) =>
    (await org.call(dismissProposals, { params: { name: 'shop' }, body: { findings, author, dismissed } })).changed
  expect([await dismiss(true), await proposed()]).toMatchObject([
    1,
    [{ ...open, dismissed_at: expect.any(String), dismissed_by: org.username }],
  ])
  expect([await dismiss(false), await proposed()]).toMatchObject([1, [open]])
  await dismiss(true)
  files.set(place, aDocument([aliased({ impact_statement: 'Never called, nor linked' })]))
  list({ id: app, location: place }, { id: 'pkg:golang/away', location: 'away.json' })
  await sync(minutes(400))
  expect(await proposed()).toMatchObject([{ ...open, note: 'Never called, nor linked' }])

  await org.call(decideFindings, { params: { name: 'shop' }, body: { findings, decision: reason } } as never)
  expect((await found()).map(({ decision }) => decision?.status ?? null).toSorted()).toEqual(['not_affected', null])
  origins.restore()
})

test('of a part of several products the worst counts, and a build for another distribution is not meant', async () => {
  const org = await anOrg({ is_org_admin: true })
  const one = await aVulnerablePackage(org.world)
  await send(org, 'shop', [`${one.purl('1.0')}?distro=debian-11.9`])
  const proposed = async (body: object) => {
    await org.world.request('/api/inventories/shop/vex', {
      method: 'PUT',
      headers: { authorization: `JWT ${org.access}` },
      body: JSON.stringify(body),
    })
    const { results } = await org.call(listFindings, { params: { name: 'shop' } })
    return results.flatMap(({ proposals }) => proposals.map(({ status }) => status))
  }
  const [anyBuild = ''] = one.purl('1.0').split('@')
  const parts = ['old', 'new'].map((whole) => ({
    product_reference: 'part',
    full_product_name: { product_id: `${whole}:part`, name: `part of ${whole}` },
  }))
  const csaf = {
    document: { category: 'csaf_vex', publisher: { name: 'Acme' } },
    product_tree: {
      full_product_names: [{ product_id: 'part', name: 'part', product_identification_helper: { purl: anyBuild } }],
      relationships: parts,
    },
    vulnerabilities: [
      { cve: one.cveid, product_status: { known_affected: ['old:part'], known_not_affected: ['new:part'] } },
    ],
  }
  expect(await proposed(csaf)).toEqual(['affected'])
  const speak = (distro: string, status: string) => ({
    vulnerability: { name: one.cveid },
    products: [{ '@id': `${anyBuild}?distro=${distro}` }],
    status,
  })
  const statements = [speak('debian-11', 'under_investigation'), speak('debian-12', 'not_affected')]
  const openvex = { '@context': 'https://openvex.dev/ns/v0.2.0', author: 'Acme', statements }
  expect(await proposed(openvex)).toEqual(['under_investigation'])
})

test('a document speaks of the products alone for which the index names it', async () => {
  const { origins, files, list, sync, stored } = aHub()
  const other = 'pkg:deb/debian/openssl'
  const place = 'pkg/golang/app.json'
  files.set(place, aDocument([said('CVE-2026-1', [{ '@id': app }, { '@id': other }])]))
  const products = async () => (await stored()).map(({ product }) => product)
  list({ id: app, location: place })
  await sync()
  expect(await products()).toEqual([app, app])

  // The document is what it was.
  list({ id: app, location: place }, { id: other, location: place })
  await sync(minutes(400))
  expect(await products()).toEqual([other, app, other, app])
  list({ id: other, location: place })
  await sync(minutes(800))
  expect(await products()).toEqual([other, other])
  origins.restore()
})
