import { writeXlsx } from 'hucre/xlsx'
import { expect, test } from 'vitest'
import { exportKinds, ImportReply } from '../../worker/monitoring/import-contract'
import { eachTest } from './support/each-test'
import { aKnownWorld, known } from './support/known-world'
import { anS2Scene } from './support/s2-scene'
import { emptyOrg, signedInAs } from './support/victim'

// Specification 2, section 7 "Monitoring", and what API.md adds to it: each call with each way to name what is meant.

const world = eachTest(aKnownWorld)

type Field = string | number | boolean
type Fields = Record<string, Field>

async function aCaller() {
  const { org_id, aUser } = await emptyOrg(world, 'caller')
  const authorization = await signedInAs(world, await aUser('boss', { is_org_admin: true }))
  const request = (path: string, init: RequestInit = {}) =>
    world.request(path, { ...init, headers: { authorization, ...(init.headers as Record<string, string>) } })
  const toText = async (response: Response) => [response.status, await response.text()] as const
  const list = async (kind: string) => (await toText(await request(`/api/monitor/export/${kind}`)))[1]
  return { org_id, request, toText, list }
}
type Caller = Awaited<ReturnType<typeof aCaller>>

const encodings = {
  JSON: (fields: Fields) => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(fields) }),
  form: (fields: Fields) => ({
    body: new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)])),
  }),
  multipart: (fields: Fields) => {
    const body = new FormData()
    for (const [name, value] of Object.entries(fields)) body.append(name, String(value))
    return { body }
  },
}
const send = (caller: Caller, path: string, method: string, fields: Fields, as: keyof typeof encodings = 'JSON') =>
  caller.request(path, { method, ...encodings[as](fields) })

const { type: package_type, name: package_name } = known.package
const toggles: [call: string, path: string, fields: Fields, line: string][] = [
  ['vendor by its id', '/api/monitor/vendor/toggle', { vendor_id: 1 }, `vendor,${known.vendor},`],
  ['vendor by its name', '/api/monitor/vendor/toggle', { vendor_name: known.vendor }, `vendor,${known.vendor},`],
  [
    'vendor by both',
    '/api/monitor/vendor/toggle',
    { vendor_id: 1, vendor_name: known.vendor },
    `vendor,${known.vendor},`,
  ],
  ['product by its id', '/api/monitor/product/toggle', { product_id: 1 }, `product,${known.vendor}:${known.product},`],
  [
    'product by its names',
    '/api/monitor/product/toggle',
    { vendor_name: known.vendor, product_name: known.product },
    `product,${known.vendor}:${known.product},`,
  ],
  [
    'product by all of them',
    '/api/monitor/product/toggle',
    { product_id: 1, vendor_name: known.vendor, product_name: known.product },
    `product,${known.vendor}:${known.product},`,
  ],
  ['package by its id', '/api/monitor/package/toggle', { package_id: 1 }, `package,${package_type}:${package_name},`],
  [
    'package by its names',
    '/api/monitor/package/toggle',
    { package_type, package_name },
    `package,${package_type}:${package_name},`,
  ],
]

test.each(toggles)('POST and PUT toggle a %s, as JSON and as a form', async (_, path, fields, line) => {
  const caller = await aCaller()
  const { org_id: organization_id, toText, list } = caller
  for (const method of ['POST', 'PUT'])
    for (const as of ['JSON', 'form', 'multipart'] as const)
      for (const [on, off] of [
        [true, false],
        ['True', 'False'],
        ['true', 'false'],
      ] as const)
        for (const monitored of [on, off]) {
          const answer = await send(caller, path, method, { ...fields, monitored, organization_id }, as)
          expect(await toText(answer)).toEqual([200, '"toggled."'])
          expect((await list('all')).includes(line)).toBe(monitored === on)
        }
})

test('a toggle says no to what it does not know, to a missing field and to another organization', async () => {
  const caller = await aCaller()
  const stranger = await emptyOrg(world, 'stranger')
  const status = async (path: string, fields: Fields) => (await send(caller, path, 'POST', fields)).status
  for (const [kind, unknown, whole] of [
    ['vendor', { vendor_name: 'nobody' }, { vendor_id: 1 }],
    ['vendor', { vendor_id: 99 }, { vendor_id: 1 }],
    ['product', { product_id: 99 }, { product_id: 1 }],
    ['product', { vendor_name: known.vendor, product_name: 'nobody' }, { product_id: 1 }],
    ['package', { package_id: 99 }, { package_id: 1 }],
  ] as const) {
    const path = `/api/monitor/${kind}/toggle`
    expect([path, await status(path, { ...unknown, monitored: true })]).toEqual([path, 404])
    expect([path, await status(path, { monitored: true })]).toEqual([path, 400])
    expect([path, await status(path, whole)]).toEqual([path, 400])
    expect([path, await status(path, { ...whole, monitored: 'perhaps' })]).toEqual([path, 400])
    const foreign = { ...whole, monitored: true, organization_id: stranger.org_id }
    expect([path, await status(path, foreign)]).toEqual([path, 403])
  }
  expect(await caller.list('all')).toBe('type,value,groups\r\n')
})

test.each(exportKinds)('GET /api/monitor/export/%s is a file with that name, CSV by default and JSON', async (kind) => {
  const caller = await aCaller()
  await send(caller, '/api/monitor/product/toggle', 'POST', { product_id: 1, monitored: true })
  const csv = await caller.request(`/api/monitor/export/${kind}`)
  expect([csv.status, csv.headers.get('content-type'), csv.headers.get('content-disposition')]).toEqual([
    200,
    'text/csv; charset=utf-8',
    `attachment; filename="ph_export_monitored_${kind}.csv"`,
  ])
  const isIn = kind === 'products' || kind === 'all'
  const line = `product,${known.vendor}:${known.product},\r\n`
  expect(await csv.text()).toBe(`type,value,groups\r\n${isIn ? line : ''}`)
  const json = await caller.request(`/api/monitor/export/${kind}?format=json`)
  expect([json.headers.get('content-disposition'), await json.json()]).toEqual([
    `attachment; filename="ph_export_monitored_${kind}.json"`,
    isIn ? [expect.objectContaining({ type: 'product', value: `${known.vendor}:${known.product}` })] : [],
  ])
})

test('GET /api/monitor/export/ of another kind or in another format is refused', async () => {
  const { request } = await aCaller()
  expect((await request('/api/monitor/export/exploits')).status).toBe(400)
  expect((await request('/api/monitor/export/all?format=pdf')).status).toBe(400)
})

const rows = [
  ['type', 'value', 'groups'],
  ['vendor', known.vendor, ''],
  ['vuln', known.cveid, ''],
]
const files: [name: string, file: () => Promise<File>][] = [
  ['CSV', async () => new File([rows.map((row) => row.join()).join('\r\n')], 'list.csv', { type: 'text/csv' })],
  [
    'spreadsheet',
    async () => new File([new Uint8Array(await writeXlsx({ sheets: [{ name: 'List', rows }] }))], 'list.xlsx'),
  ],
]

test.each(files)('POST /api/monitor/import reads a %s from the field "file" and adds by default', async (_, file) => {
  const { request, list } = await aCaller()
  const body = new FormData()
  body.append('file', await file())
  const answer = await request('/api/monitor/import', { method: 'POST', body })
  expect([answer.status, await answer.json()]).toEqual([
    200,
    expect.objectContaining({ status: 'success', added: 2, already: 0, unknown: [] }),
  ])
  const again = new FormData()
  again.append('file', await file())
  const second = await request('/api/monitor/import', { method: 'POST', body: again })
  expect(await second.json()).toMatchObject({ added: 0, already: 2 })
  expect(await list('all')).toContain(`vendor,${known.vendor},`)
})

test('an error value of a spreadsheet is refused with its line, and is no name to wait for', async () => {
  const { request } = await aCaller()
  const broken = ['#REF!', '#N/A', '#VALUE!', '#NAME?', '#DIV/0!']
  const lines = [
    ['type', 'value', 'groups'],
    ...broken.map((cell) => ['vendor', cell, '']),
    ['vendor', known.vendor, '#REF!'],
    ['#N/A', known.vendor, ''],
    ['vendor', '#1 software', ''],
  ]
  const xlsx = await writeXlsx({ sheets: [{ name: 'List', rows: lines }] })
  for (const text of [lines.map((line) => line.join()).join('\n'), new Uint8Array(xlsx)]) {
    const body = new FormData()
    body.append('file', new File([text], 'list'))
    body.append('dry_run', 'true')
    const answer = await request('/api/monitor/import', { method: 'POST', body })
    const { added, unknown } = ImportReply.parse(await answer.json())
    const told = (cell: string) => `The spreadsheet could not compute a cell: ${cell}`
    expect([added, unknown.map(({ line }) => line)]).toEqual([0, [2, 3, 4, 5, 6, 7, 8, 9]])
    const reasons = unknown.flatMap(({ reason, awaited }) => (awaited ? [] : [reason]))
    expect(reasons).toEqual([...broken, '#REF!', '#N/A'].map(told))
  }
})

test('POST /api/monitor/import without a file is refused', async () => {
  const { request } = await aCaller()
  const answer = await request('/api/monitor/import', { method: 'POST', body: new FormData() })
  expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ code: 'invalid' })])
})

test('PUT /api/vulns/{id}/toggle with monitored, vuln_id and organization_id', async () => {
  const { ask, org_id } = await anS2Scene(world)
  const toggle = async (monitored: boolean) => {
    const answer = await ask('PUT', '/api/vulns/1/toggle', { monitored, vuln_id: 1, organization_id: org_id })
    const seen = (await (await ask('GET', '/api/vulns/1/')).json()) as { monitored: boolean }
    return [answer.status, await answer.json(), seen.monitored]
  }
  expect(await toggle(false)).toEqual([200, 'toggled.', false])
  expect(await toggle(true)).toEqual([200, 'toggled.', true])
})
