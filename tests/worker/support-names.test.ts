import { expect, test } from 'vitest'
import { previewReport } from '../../worker/alerts/reports/contract'
import { listUnsupported } from '../../worker/inventories/upgrade-contract'
import { getProduct, listProducts } from '../../worker/kb/contract'
import { confirmSupportName, listSupportNames } from '../../worker/kb/names-contract'
import { setItems } from '../../worker/monitoring/contract'
import { minutes } from './support/feeds-scene'
import { send } from './support/inventory-scene'
import { anOrg } from './support/org'
import { fakeOrigins, originSettings } from './support/origins'
import { sayIn } from './support/say'
import { aWorld } from './support/world'

const aRelease = (name: string, more: object = {}) => ({ name, label: name, isEol: false, eolFrom: null, ...more })
const anEntry = (name: string, more: object) => ({ name, label: name, identifiers: [], releases: [], ...more })

test('a product of endoflife.date without identifiers is proposed by name, and counts once somebody confirmed it', async () => {
  const origins = fakeOrigins()
  const world = aWorld({ ...originSettings, ENDOFLIFE_URL: 'https://eol.test/full' })
  // As the real list has them.
  const windows = anEntry('windows-server', {
    label: 'Microsoft Windows Server',
    aliases: ['windowsserver'],
    releases: [aRelease('2025', { eolFrom: '2999-10-09' }), aRelease('2012', { eolFrom: '2020-10-10' })],
  })
  const panos = anEntry('panos', {
    label: 'Palo Alto Networks PAN-OS',
    aliases: ['pan-os'],
    releases: [aRelease('9.1', { eolFrom: '2020-06-30' })],
  })
  const twig = anEntry('twig', {
    identifiers: [{ type: 'repology', id: 'php:twig' }],
    releases: [aRelease('1', { isEol: true })],
  })
  const named = anEntry('nginx', {
    identifiers: [{ type: 'cpe', id: 'cpe:2.3:a:f5:nginx' }],
    releases: [aRelease('1.30')],
  })
  let result: object[] = [windows, panos, twig, named]
  origins.instead = (url) => (url.host === 'eol.test' ? Response.json({ schema_version: '1.2.1', result }) : null)
  for (const [at, [vendor = '', product = '']] of [
    ['microsoft', 'windows_server_2012'],
    ['paloaltonetworks', 'pan-os'],
    ['symfony', 'twig'],
    ['acme', 'panos_reader'],
  ].entries())
    await sayIn(world, 'nvd', {
      cveid: `CVE-2026-2000${at}`,
      affected: [{ vendor, product, ranges: [{ cpe: 'o', lt: '99' }] }],
    })
  await world.tick(new Date())
  await world.drain()
  const admin = await anOrg({ world, is_admin: true })
  const org = await anOrg({ world, is_org_admin: true })
  const list = async () =>
    (await admin.call(listSupportNames)).map(({ id, confirmed, proposed }) => [
      id,
      confirmed.map(({ name, release }) => [name, release]),
      proposed.map(({ name, release }) => [name, release]),
    ])
  expect(await list()).toEqual([
    ['windows-server', [], [['windows_server_2012', '2012']]],
    ['panos', [], [['pan-os', null]]],
    ['twig', [], [['twig', null]]],
  ])
  expect((await org.answer(listSupportNames)).status).toBe(403)

  const runs = 'cpe:2.3:o:microsoft:windows_server_2012:r2:*:*:*:*:*:*:*'
  await send(org, 'shop', [runs, 'cpe:2.3:o:paloaltonetworks:pan-os:9.1.4:*:*:*:*:*:*:*'])
  const ended = async () =>
    (await org.call(listUnsupported, { params: { name: 'shop' } })).results.map(({ version, release }) => [
      version,
      release.name,
      release.state,
    ])
  expect(await ended()).toEqual([])
  const idBy = async (search: string) => (await org.call(listProducts, { query: { search } })).results[0]?.id ?? 0
  const [server, firewall] = [await idBy('windows_server_2012'), await idBy('pan-os')]
  const confirm = (id: string, body: { product_id: number; release?: string; confirmed?: boolean }) =>
    admin.answer(confirmSupportName, { params: { id }, body: { confirmed: true, ...body } })
  expect((await confirm('windows-server', { product_id: server, release: '1999' })).status).toBe(400)
  expect((await confirm('windows-server', { product_id: 999_999 })).status).toBe(404)
  expect((await confirm('nothing', { product_id: server })).status).toBe(404)
  expect((await confirm('windows-server', { product_id: server, release: '2012' })).status).toBe(200)
  expect((await confirm('panos', { product_id: firewall })).status).toBe(200)
  expect(await ended()).toEqual([
    ['9.1.4', '9.1', 'ended'],
    ['r2', '2012', 'ended'],
  ])
  const product = await org.call(getProduct, { params: { id: server } })
  expect(product.lifecycles).toMatchObject([{ label: 'Microsoft Windows Server', pinned: '2012' }])
  await org.call(setItems, { body: { kind: 'product', items: [{ id: server }] } })
  const { support_ends } = await org.call(previewReport, { params: { schedule: 'daily' } })
  expect(support_ends).toContain(
    'Microsoft Windows Server 2012 ended on 2020-10-10: no fix will come; 2025 is supported until 2999-10-09. Runs as microsoft:windows_server_2012 2012, part0 r2 in shop.',
  )

  // The list comes again, now with an identifier of one; people's words stay until they take them back.
  result = [{ ...windows, label: 'Windows Server' }, panos, twig, { ...named, releases: [] }]
  await world.tick(minutes(1500))
  await world.drain()
  expect((await list()).at(-1)).toEqual(['windows-server', [['windows_server_2012', '2012']], []])
  expect((await confirm('windows-server', { product_id: server, confirmed: false })).status).toBe(200)
  expect(await ended()).toEqual([['9.1.4', '9.1', 'ended']])
  const log = await world.sql<{ action: string; target: string }>`SELECT action, target FROM audit_log
    WHERE action LIKE 'support.%' ORDER BY id`
  expect(log.map(({ action, target }) => `${action} ${target}`)).toEqual([
    'support.confirm microsoft:windows_server_2012',
    'support.confirm paloaltonetworks:pan-os',
    'support.refuse microsoft:windows_server_2012',
  ])
  origins.restore()
})
