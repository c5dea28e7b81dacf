import { createReadStream, readdirSync, readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { createGunzip, gunzipSync } from 'node:zlib'
import { unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import { cveOfItem, type NvdItem11 } from '../../scripts/mirror/nvd-legacy'
import { judgeStatements } from '../../worker/domain/versions/affected'
import type { VulnRecord } from '../../worker/domain/words/record'
import { jsonElements } from '../../worker/feeds/read/json-elements'
import { fromNvd, NvdCve } from '../../worker/feeds/nvd/record'
import { fromOsv, OsvAdvisory } from '../../worker/feeds/osv/record'
import { fromOverride, Override } from '../../worker/feeds/nvd/overrides-record'
import { fromRedhat, RedhatCve } from '../../worker/feeds/redhat/record'
import { realFeeds } from '../support/real-data'

// Every record of packages, Red Hat, the overrides and NVD 1.1 in the mirror beside the repository.
const mirror = realFeeds

const at = (path: string) => new URL(path, mirror)
const filesIn = (folder: string, ending: string) =>
  readdirSync(at(folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => folder + name)
const arraysIn = function* (folder: string): Generator<unknown> {
  for (const path of filesIn(folder, '.json.gz'))
    yield* JSON.parse(gunzipSync(readFileSync(at(path))).toString()) as unknown[]
}
const listAdvisories = (ecosystem: string) =>
  Object.values(unzipSync(readFileSync(at(`osv/${ecosystem}/all.zip`)))).map(
    (data) => JSON.parse(new TextDecoder().decode(data)) as Record<string, unknown>,
  )
const count = <Item>(items: Item[], fits: (item: Item) => unknown) => items.filter(fits).length

test.each([
  ['Go', 4_291, { cve: 3_894, withdrawn: 17, golang: 4_000 }],
  ['PyPI', 2_661, { cve: 2_648, withdrawn: 10, pypi: 2_600 }],
])('every advisory of %s is read', { timeout: 60_000 }, (ecosystem, total, expected) => {
  const all = listAdvisories(ecosystem)
  expect(all).toHaveLength(total)
  const refused = all.filter((one) => !OsvAdvisory.safeParse(one).success).map(({ id }) => id)
  expect(refused).toEqual([])
  const read = all.map((one) => fromOsv(OsvAdvisory.parse(one)))
  expect(count(read, ([first]) => first?.cveid.startsWith('CVE-'))).toBe(expected.cve)
  expect(count(read, ([first]) => first?.state === 'rejected')).toBe(expected.withdrawn)
  const type = ecosystem === 'Go' ? 'golang' : 'pypi'
  const named = count(read, ([first]) => first?.packages?.some((one) => one.type === type && one.ranges.length))
  expect(named).toBeGreaterThan(expected[type as keyof typeof expected] ?? 0)
})

test('every single advisory is read, and those with packages name them', () => {
  const read = filesIn('osv/misc/', '.json').map((path) =>
    fromOsv(OsvAdvisory.parse(JSON.parse(readFileSync(at(path), 'utf8')))),
  )
  expect(read).toHaveLength(24)
  const types = new Set(read.flat().flatMap(({ packages = [] }) => packages.map((one) => one.type)))
  expect([...types].sort()).toEqual(['apk', 'deb', 'maven', 'pypi', 'rpm'])
  expect(count(read.flat(), ({ cveid }) => !cveid.startsWith('CVE-'))).toBe(0)
})

test('every CVE of Red Hat is read, with its builds', { timeout: 60_000 }, () => {
  const refused: unknown[] = []
  const records: VulnRecord[] = []
  for (const raw of arraysIn('redhat/')) {
    const parsed = RedhatCve.safeParse(raw)
    if (parsed.success) records.push(fromRedhat(parsed.data))
    else refused.push(raw)
  }
  expect(refused).toEqual([])
  expect(records).toHaveLength(16_731)
  expect(count(records, ({ cvss3 }) => cvss3)).toBeGreaterThan(16_400)
  expect(count(records, ({ aliases }) => aliases?.length)).toBe(8_388)
  expect(count(records, ({ cwe_ids }) => (cwe_ids ?? []).length > 1)).toBeGreaterThan(1_000)
  const odd = records.flatMap(({ packages = [] }) => packages.filter(({ name }) => !/^redhat\/[^@]+$/.test(name)))
  expect(odd.map(({ name }) => name)).toEqual([])

  const regresshion = records.find(({ cveid }) => cveid === 'CVE-2024-6387')
  const ranges = regresshion?.packages?.find(({ name }) => name === 'redhat/openssh')?.ranges ?? []
  const status = (version: string, on: string) => judgeStatements(version, [{ source: 'redhat', ranges }], { on })
  const [rhel8, rhel9] = ['Red Hat Enterprise Linux 8', 'Red Hat Enterprise Linux 9']
  expect(status('0:8.7p1-34.el9', rhel9)).toMatchObject({ status: 'affected', fixed_in: '0:8.7p1-38.el9_4.1' })
  expect(status('0:8.7p1-38.el9_4.1', rhel9).status).toBe('not_affected')
  expect(status('0:8.0p1-19.el8', rhel8).status).toBe('not_affected')
})

test('every override is read, and those that were emptied are rejected', { timeout: 60_000 }, () => {
  const records: VulnRecord[] = []
  for (const raw of arraysIn('nvd-overrides/')) records.push(fromOverride(Override.parse(raw)))
  expect(records).toHaveLength(32_184)
  expect(count(records, ({ state }) => state === 'rejected')).toBe(56)
  expect(count(records, ({ summary }) => summary)).toBe(28_809)
  expect(count(records, ({ published }) => published)).toBe(23_596)
  expect(count(records, ({ affected }) => affected?.length)).toBeGreaterThan(32_000)
})

// Each third file: they differ from those of 2.0 by their form alone.
test('records of NVD 1.1 are read as those of 2.0', { timeout: 120_000 }, async () => {
  const seen = new Map<string, VulnRecord>()
  const refused: string[] = []
  for (const path of filesIn('nvd/1.1/', '.json.gz').filter((_, place) => place % 3 === 0)) {
    const bytes = createReadStream(at(path)).pipe(createGunzip({ chunkSize: 1_000_000 }))
    for await (const text of jsonElements(Readable.toWeb(bytes) as ReadableStream<Uint8Array>, 'CVE_Items')) {
      const parsed = NvdCve.safeParse(cveOfItem(JSON.parse(text) as NvdItem11).cve)
      if (!parsed.success) refused.push(text.slice(0, 200))
      else {
        const { affected = [], ...record } = fromNvd(parsed.data)
        seen.set(record.cveid, { ...record, affected: affected.slice(0, 1) })
      }
    }
  }
  const records = [...seen.values()]
  expect(refused).toEqual([])
  expect(records).toHaveLength(32_185)
  expect(count(records, ({ state }) => state === 'rejected')).toBeGreaterThan(2_900)
  expect(count(records, ({ cvss3 }) => cvss3)).toBeGreaterThan(20_900)
  expect(count(records, ({ affected }) => affected?.length)).toBeGreaterThan(28_000)
})
