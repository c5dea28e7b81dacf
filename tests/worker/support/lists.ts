import { openDb } from '../../../worker/db/open'
import type { VulnRecord } from '../../../worker/domain/words/record'
import { saveRecords } from '../../../worker/merge/save-records'
import { exportMonitored, ImportReply, type ExportKind } from '../../../worker/monitoring/import-contract'
import { loadOnce } from './load-once'
import type { anOrg } from './org'
import { aWorld, type World } from './world'

type Org = Awaited<ReturnType<typeof anOrg>>
const now = new Date('2026-11-20T10:00:00Z')
const records: VulnRecord[] = [
  {
    cveid: 'CVE-2026-1001',
    state: 'published',
    summary: 'A hole in the server',
    affected: [
      { vendor: 'apache', product: 'http_server', ranges: ['a:2.4'] },
      { vendor: 'apache', product: 'tomcat', ranges: ['a:9'] },
      { vendor: '=evil', product: '+sum', ranges: ['a:1'] },
    ],
  },
  { cveid: 'CVE-2026-1002', state: 'published', affected: [{ vendor: 'nginx', product: 'nginx', ranges: ['a:1'] }] },
]
const ofPackages: VulnRecord = {
  cveid: 'CVE-2026-1001',
  state: 'published',
  packages: [
    {
      type: 'maven',
      name: 'org.apache.logging.log4j:log4j-core',
      ranges: [{ order: 'maven', ge: '2.0', lt: '2.15.0' }],
    },
    { type: 'npm', name: '@acme/widget', ranges: [] },
  ],
}

export const save = (world: World, source: 'cve' | 'osv', more: VulnRecord[]) =>
  saveRecords(openDb(world.env), { source, records: more, is_backfill: true, now })

/** A knowledge base with names that a list can spell in many ways. */
export async function aListedWorld() {
  const world = aWorld()
  const fill = async () => {
    await save(world, 'cve', records)
    await save(world, 'osv', [ofPackages])
  }
  await loadOnce(world, 'a listed world', fill, Infinity)
  return world
}

export const csv = (...lines: string[]) => ['type,value,groups', ...lines].join('\r\n')

export async function uploadCsv(
  { world, access }: Org,
  file: string | Uint8Array,
  fields: Record<string, string> = {},
) {
  const form = new FormData()
  const blob = typeof file === 'string' ? file : new Uint8Array(file)
  form.set('file', new File([blob], 'list.csv'))
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return world.request('/api/monitor/import', {
    method: 'POST',
    headers: { authorization: `JWT ${access}` },
    body: form,
  })
}
export async function addCsv(org: Org, file: string | Uint8Array, fields?: Record<string, string>) {
  const response = await uploadCsv(org, file, fields)
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status}: ${text}`)
  return ImportReply.parse(JSON.parse(text))
}
export async function refusedCsv(org: Org, file: string | Uint8Array) {
  const response = await uploadCsv(org, file)
  const { message } = (await response.json()) as { message: string }
  return `${response.status} ${message}`
}
export const read = async (org: Org, kind: ExportKind = 'all') =>
  (await org.answer(exportMonitored, { params: { kind } })).text()

export const everything = [
  'vendor,nginx,edge',
  'product,apache:http_server,dmz;web',
  'package,maven:org.apache.logging.log4j:log4j-core,',
  'vuln,CVE-2026-1002,',
]
