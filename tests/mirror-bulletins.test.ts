import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { csafPaths } from '../scripts/mirror/csaf.ts'
import { attackPaths, cwePath } from '../scripts/mirror/single-files.ts'
import { aCsaf } from './support/csaf'
import { mirrorOfTest } from './support/mirror.ts'

const { pathTo, put, get } = mirrorOfTest()
const idAt = async (path: string) => ((await (await get(path)).json()) as ReturnType<typeof aCsaf>).document.tracking.id

const ot = '/cisagov/CSAF/develop/csaf_files/OT/white'

test('documents kept in an array for a year are served each at its own address', async () => {
  put(
    'csaf/cisa/OT/white/2026.json.gz',
    gzipSync(JSON.stringify([aCsaf({ id: 'ICSA-26-001-01' }), aCsaf({ id: 'ICSA-26-002-01' })])),
  )
  expect(await idAt(`${ot}/2026/icsa-26-002-01.json`)).toBe('ICSA-26-002-01')
  expect(await idAt(`${ot}/2026/icsa-26-001-01.json`)).toBe('ICSA-26-001-01')
  expect((await get(`${ot}/2026/icsa-26-003-01.json`)).status).toBe(404)
  expect((await get(`${ot}/2025/icsa-26-001-01.json`)).status).toBe(404)

  put('csaf/cisa/OT/white/2026.json.gz', gzipSync(JSON.stringify([aCsaf({ id: 'ICSA-26-003-01' })])))
  expect(await idAt(`${ot}/2026/icsa-26-003-01.json`)).toBe('ICSA-26-003-01')
})

test('the lists of a provider are served as they are; one without is given lists of its documents, newest first', async () => {
  put('csaf/cisa/OT/white/changes.csv', 'csaf_files/OT/white/2026/x.json,2026-01-01T00:00:00Z\n')
  expect(await (await get(`${ot}/changes.csv`)).text()).toBe('csaf_files/OT/white/2026/x.json,2026-01-01T00:00:00Z\n')

  put(
    'csaf/redhat/2025/rhsa-2025_1.json',
    JSON.stringify(aCsaf({ id: 'RHSA-2025:1', modified: '2025-02-01T00:00:00Z' })),
  )
  put(
    'csaf/redhat/2026/rhsa-2026_1.json.gz',
    gzipSync(JSON.stringify(aCsaf({ id: 'RHSA-2026:1', modified: '2026-02-01T00:00:00Z' }))),
  )
  const advisories = '/data/csaf/v2/advisories'
  expect(await (await get(`${advisories}/changes.csv`)).text()).toBe(
    '"2026/rhsa-2026_1.json","2026-02-01T00:00:00Z"\n"2025/rhsa-2025_1.json","2025-02-01T00:00:00Z"\n',
  )
  expect(await idAt(`${advisories}/2025/rhsa-2025_1.json`)).toBe('RHSA-2025:1')
  expect(csafPaths(pathTo(''))).toEqual([ot, advisories])
})

test('CWE is served as the zip of its origin, or as JSON where the folder has no other', async () => {
  expect(cwePath(pathTo(''))).toBe('')
  put('cwe/cwe_v4.16.json.gz', gzipSync('{}'))
  expect(cwePath(pathTo(''))).toBe('/data/json/cwe_latest.json')
  expect((await get('/data/json/cwe_latest.json')).status).toBe(200)
  put('cwe/cwec_v4.16.xml.zip', 'PK')
  expect(cwePath(pathTo(''))).toBe('/data/xml/cwec_latest.xml.zip')
  expect(await (await get('/data/xml/cwec_latest.xml.zip')).text()).toBe('PK')
})

test('each domain of ATT&CK that is there is served at its own address, and no other is named', async () => {
  put('attack/ics-attack.json', '{}')
  put('attack/enterprise-attack.json.gz', gzipSync('{}'))
  expect(attackPaths(pathTo(''))).toEqual(['/enterprise-attack/enterprise-attack.json', '/ics-attack/ics-attack.json'])
  for (const path of attackPaths(pathTo(''))) expect((await get(path)).status).toBe(200)
  expect((await get('/mobile-attack/mobile-attack.json')).status).toBe(404)
  expect((await get('/enterprise-attack/ics-attack.json')).status).toBe(404)
  expect((await get('/capec/2.1/stix-capec.json')).status).toBe(404)
})
