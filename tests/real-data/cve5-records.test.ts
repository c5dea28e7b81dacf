import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { VulnRecord } from '../../worker/domain/words/record'
import { fromCve5 } from '../../worker/feeds/cve5/record'
import { Cve5 } from '../../worker/feeds/cve5/schema'
import { realFeeds } from '../support/real-data'

// Every record of the mirror that stands beside the repository, through the same door as in the product.
const mirror = new URL('cve5/', realFeeds)

test('every record of the CVE list is read, and counts are what the source counts', { timeout: 120_000 }, () => {
  const refused: string[] = []
  const counts: Record<string, number> = {}
  for (const name of readdirSync(mirror).filter((one) => one.endsWith('.json.gz')))
    for (const raw of JSON.parse(gunzipSync(readFileSync(new URL(name, mirror))).toString()) as unknown[]) {
      const parsed = Cve5.safeParse(raw)
      if (!parsed.success) refused.push(`${JSON.stringify(raw).slice(0, 100)}: ${parsed.error.message}`)
      else for (const fact of listFacts(parsed.data)) counts[fact] = (counts[fact] ?? 0) + 1
    }
  expect(refused).toEqual([])
  expect(counts).toEqual({
    records: 44_130,
    published: 44_026,
    rejected: 104,
    'any CVSS 3.1': 30_113,
    'any CVSS 3.0': 4_520,
    'CVSS 2.0': 2_424,
    'CVSS 4.0': 2_331,
    'no CVSS': 11_365,
    // The CNA's 3.0 counts before CISA's 3.1.
    'CVSS 3.1': 30_103,
    'CVSS 3.0': 2_111,
    'CVSS 3 of CISA': 6_012,
    SSVC: 44_026,
    'all of SSVC': 44_026,
    // 27,267 have a cweId; the others name it in their text.
    CWE: 30_063,
    summary: 44_130,
    'date of publication': 43_629,
    'date of change': 44_130,
    products: 40_025,
    packages: 3_652,
  })
})

test('the famous ones among the single records say what is known of them', () => {
  const records = readdirSync(new URL('extra/', mirror)).map((name) => {
    const raw: unknown = JSON.parse(readFileSync(new URL(`extra/${name}`, mirror)).toString())
    return fromCve5(Cve5.parse(raw))
  })
  expect(records).toHaveLength(22)
  const named = (cveid: string) => records.find((one) => one.cveid === cveid)
  expect(named('CVE-2021-44228')).toMatchObject({ state: 'published', assigner: 'apache' })
  expect(namesIn(named('CVE-2021-44228'))).toContain('apache:log4j')
  expect(named('CVE-2024-3094')?.affected).toEqual([
    { vendor: 'tukaani', product: 'xz', ranges: ['a:5.6.0', 'a:5.6.1', { order: 'loose', status: 'unaffected' }] },
  ])
  expect(named('CVE-2024-3094')).toMatchObject({ state: 'published', assigner: 'redhat' })
})

const namesIn = (record?: VulnRecord) => record?.affected?.map(({ vendor, product }) => `${vendor}:${product}`)

function listFacts(raw: Cve5) {
  const record = fromCve5(raw)
  const metrics = [raw.containers.cna, ...(raw.containers.adp ?? [])].flatMap((one) => one.metrics ?? [])
  const { cvss, cvss3, cvss4, ssvc } = record
  const facts: [string, boolean][] = [
    ['records', true],
    [record.state, true],
    ['any CVSS 3.1', metrics.some((one) => one.cvssV3_1)],
    ['any CVSS 3.0', metrics.some((one) => one.cvssV3_0)],
    ['CVSS 2.0', cvss !== undefined],
    ['CVSS 4.0', cvss4 !== undefined],
    ['no CVSS', !cvss && !cvss3 && !cvss4],
    ['CVSS 3.1', cvss3?.vector.startsWith('CVSS:3.1/') ?? false],
    ['CVSS 3.0', cvss3?.vector.startsWith('CVSS:3.0/') ?? false],
    ['CVSS 3 of CISA', cvss3?.by === 'CISA-ADP'],
    ['SSVC', ssvc !== undefined],
    ['all of SSVC', ssvc !== undefined && !Object.values(ssvc).includes(null)],
    ['CWE', Boolean(record.cwe_ids?.length)],
    ['summary', Boolean(record.summary)],
    ['date of publication', record.published !== undefined],
    ['date of change', record.modified !== undefined],
    ['products', Boolean(record.affected?.length)],
    ['packages', Boolean(record.packages?.length)],
  ]
  return facts.filter(([, holds]) => holds).map(([fact]) => fact)
}
