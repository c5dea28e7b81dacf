import { createReadStream, readdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { expect, test } from 'vitest'
import type * as z from 'zod'
import { parseCpe } from '../../worker/domain/names/cpe'
import { isBySummary } from '../../worker/domain/versions/range-verdict'
import type { VulnRecord } from '../../worker/domain/words/record'
import { readScore } from '../../worker/feeds/signals/epss-record'
import { jsonElements } from '../../worker/feeds/read/json-elements'
import { fromKev, KevEntry } from '../../worker/feeds/signals/kev-record'
import { fromNvd, NvdCve } from '../../worker/feeds/nvd/record'
import { realFeeds } from '../support/real-data'

// Every record of the mirror that stands beside the repository, through the same door as in the product.
const mirror = realFeeds

const unpacked = (path: string) => createReadStream(new URL(path, mirror)).pipe(createGunzip({ chunkSize: 1_000_000 }))
const filesIn = (folder: string) =>
  readdirSync(new URL(folder, mirror))
    .filter((name) => name.endsWith('.json.gz'))
    .map((name) => folder + name)

const listElements = (path: string) =>
  jsonElements(Readable.toWeb(unpacked(path)) as ReadableStream<Uint8Array>, 'vulnerabilities')

type Raw = { cve: z.input<typeof NvdCve> }

test('every record of NVD is read, and keeps its vulnerable products and no other', async () => {
  const [refused, misnamed]: [string[], string[]] = [[], []]
  const newest = new Map<string, VulnRecord>()
  let runningOn = 0
  let largest = { id: '', length: 0, ranges: 0 }
  for (const path of filesIn('nvd/2.0/'))
    for await (const text of listElements(path)) {
      const { cve } = JSON.parse(text) as Raw
      const parsed = NvdCve.safeParse(cve)
      if (!parsed.success) {
        refused.push(cve.id)
        continue
      }
      const record = fromNvd(parsed.data)
      const { affected = [] } = record
      const known = newest.get(cve.id)
      if (!known || (known.modified ?? '') <= (record.modified ?? '')) newest.set(cve.id, record)

      const { vulnerable, others } = namesIn(cve)
      const reported = affected.map(({ vendor, product }) => `${vendor}:${product}`)
      runningOn += others.size
      const isRight =
        record.state === 'rejected'
          ? !reported.length
          : same(reported, vulnerable) && !reported.some((one) => others.has(one))
      if (!isRight) misnamed.push(cve.id)
      const ranges = affected.flatMap((product) => product.ranges).filter((range) => !isBySummary(range)).length
      if (text.length > largest.length) largest = { id: cve.id, length: text.length, ranges }
    }

  expect({ refused, misnamed }).toEqual({ refused: [], misnamed: [] })
  expect(newest.size).toBe(84_158)
  expect([...newest.values()].filter(({ state }) => state === 'rejected')).toHaveLength(906)
  expect(runningOn).toBeGreaterThan(10_000)
  expect(largest).toMatchObject({ id: 'CVE-2016-1409', ranges: 4_891 })
})

/** The products that a record calls vulnerable, and those that it names only as what these run on. */
function namesIn({ configurations = [] }: Raw['cve']) {
  const [vulnerable, others] = [new Set<string>(), new Set<string>()]
  for (const { nodes } of configurations)
    for (const { negate, cpeMatch } of nodes)
      for (const match of cpeMatch) {
        const cpe = parseCpe(match.criteria)
        const names = match.vulnerable && !negate ? vulnerable : others
        if (cpe) names.add(`${cpe.vendor}:${cpe.product}`)
      }
  for (const name of vulnerable) others.delete(name)
  return { vulnerable, others }
}

const same = (list: string[], set: Set<string>) => list.length === set.size && list.every((one) => set.has(one))

test('every entry of KEV is read, of its older catalogues too', async () => {
  const current = readFileSync(new URL('cisa-kev/known_exploited_vulnerabilities.json', mirror), 'utf8')
  const { vulnerabilities } = JSON.parse(current) as { vulnerabilities: unknown[] }
  const records = vulnerabilities.map((entry) => fromKev(KevEntry.parse(entry)))
  expect(new Set(records.map(({ cveid }) => cveid)).size).toBe(1_404)
  expect(records.filter(({ kev }) => kev?.ransomware).length).toBeGreaterThan(250)

  for (const path of filesIn('cisa-kev/history/'))
    for await (const text of listElements(path)) expect(KevEntry.safeParse(JSON.parse(text)).success).toBe(true)
})

test.each([
  ['epss_scores-2024-10-26', 263_619],
  ['epss_scores-2025-08-30', 291_657],
  ['epss_scores-current', 360_142],
])('every score of %s is read', async (name, count) => {
  const scored = new Set<string>()
  const refused: string[] = []
  for await (const line of createInterface(unpacked(`epss/${name}.csv.gz`))) {
    const row = readScore(line)
    if (row) scored.add(row[0])
    else refused.push(line)
  }
  expect(refused).toEqual([expect.stringMatching(/^#model_version:/), 'cve,epss,percentile'])
  expect(scored.size).toBe(count)
})
