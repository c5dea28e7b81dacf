import { utimesSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import { aCve5, cvePath } from './support/cve5.ts'
import { mirrorOfTest } from './support/mirror.ts'

const { url: origin, pathTo, put } = mirrorOfTest()
const records = (...ids: string[]) => JSON.stringify(ids.map((id) => aCve5(id)))
const dated = (id: string, dateUpdated: string) => {
  const raw = aCve5(id)
  return { ...raw, cveMetadata: { ...raw.cveMetadata, dateUpdated } }
}
type Listing = { assets: { name: string; updated_at: string; browser_download_url: string }[] }[]

async function listAssets() {
  const [release] = (await (await fetch(`${origin()}/cve/releases?per_page=30&page=1`)).json()) as Listing
  return release?.assets ?? []
}
const unpack = async (url: string) => unzipSync(new Uint8Array(await (await fetch(url)).arrayBuffer()))

test('the whole list is an archive in an archive, with every record once, the newest', async () => {
  put('cve5/cves-2023.json.gz', gzipSync(records('CVE-2023-0001')))
  put('cve5/cves-2024.json', JSON.stringify([dated('CVE-2024-0001', '2024-01-01T00:00:00Z'), aCve5('CVE-2024-10002')]))
  put('cve5/extra/CVE-2024-0001.json', JSON.stringify(dated('CVE-2024-0001', '2025-01-01T00:00:00Z')))
  put('cve5/extra/CVE-2021-44228.json', JSON.stringify(aCve5('CVE-2021-44228')))
  const [list] = await listAssets()
  expect(list?.name).toMatch(/^\d{4}-\d{2}-\d{2}_all_CVEs_at_midnight\.zip\.zip$/)
  const { 'cves.zip': inner = new Uint8Array() } = await unpack(list?.browser_download_url ?? '')
  const files = unzipSync(inner)
  expect(Object.keys(files).toSorted()).toEqual(
    ['CVE-2021-44228', 'CVE-2023-0001', 'CVE-2024-0001', 'CVE-2024-10002'].map(cvePath),
  )
  expect(JSON.parse(new TextDecoder().decode(files[cvePath('CVE-2024-0001')]))).toMatchObject({
    cveMetadata: { dateUpdated: '2025-01-01T00:00:00Z' },
  })
})

test('a file dropped into delta is a delta of its day, however old the file says it is', async () => {
  put('cve5/cves-2024.json', records('CVE-2024-0001'))
  expect(await listAssets()).toHaveLength(1)
  put('cve5/delta/1.json', records('CVE-2024-0001', 'CVE-2024-0002'))
  put('cve5/delta/2.json', JSON.stringify(aCve5('CVE-2024-0003')))
  utimesSync(pathTo('cve5/delta/2.json'), 0, 0)
  const [, delta, ...more] = await listAssets()
  expect([delta?.name, more]).toEqual([expect.stringMatching(/_delta_CVEs_at_\d\d00Z\.zip$/), []])
  expect(delta?.updated_at.slice(0, 4)).not.toBe('1970')
  expect(Object.keys(await unpack(delta?.browser_download_url ?? ''))).toEqual(
    ['CVE-2024-0001', 'CVE-2024-0002', 'CVE-2024-0003'].map(cvePath),
  )
})

test('a part of an archive is sent when it is asked for', async () => {
  put('cve5/cves-2024.json', records('CVE-2024-0001'))
  const [list] = await listAssets()
  const whole = new Uint8Array(await (await fetch(list?.browser_download_url ?? '')).arrayBuffer())
  const reply = await fetch(list?.browser_download_url ?? '', { headers: { range: 'bytes=10-19' } })
  expect([reply.status, reply.headers.get('content-range')]).toEqual([206, `bytes 10-19/${whole.length}`])
  expect(new Uint8Array(await reply.arrayBuffer())).toEqual(whole.slice(10, 20))
})

test('a record is answered by its id, the newest word of it, or is missing', async () => {
  put('cve5/cves-2024.json', records('CVE-2024-0001', 'CVE-2024-0002'))
  put('cve5/delta/1.json', JSON.stringify(dated('CVE-2024-0002', '2026-11-20T00:00:00Z')))
  const get = async (id: string) => fetch(`${origin()}/cve/api/cve/${id}`)
  expect(await (await get('CVE-2024-0001')).json()).toEqual(aCve5('CVE-2024-0001'))
  expect(await (await get('CVE-2024-0002')).json()).toMatchObject({
    cveMetadata: { dateUpdated: '2026-11-20T00:00:00Z' },
  })
  expect((await get('CVE-2024-0009')).status).toBe(404)
})

test('a folder without records has no releases', async () => {
  expect(await (await fetch(`${origin()}/cve/releases`)).json()).toEqual([])
})
