import { expect, test } from 'vitest'
import { judgeStatements, toRunVerdict } from '../../worker/domain/versions/affected'
import { mergeRecords } from '../../worker/domain/words/merge'
import { EuKevEntry } from '../../worker/feeds/signals/eukev-record'
import { fromKev, KevEntry } from '../../worker/feeds/signals/kev-record'
import { EolProduct } from '../../worker/feeds/taxonomy/endoflife-record'
import { joinName, splitName } from '../../worker/merge/derive'
import { withNames } from '../../worker/merge/catalogue-names'

const citrixBleed = {
  cveID: 'CVE-2023-4966',
  vendorProject: 'Citrix',
  product: 'NetScaler ADC and NetScaler Gateway',
  vulnerabilityName: 'Citrix NetScaler ADC and NetScaler Gateway Buffer Overflow Vulnerability',
  dateAdded: '2023-10-18',
  shortDescription: 'Citrix NetScaler ADC and NetScaler Gateway contain a buffer overflow vulnerability.',
  requiredAction: 'Apply mitigations and kill all active and persistent sessions per vendor instructions.',
  dueDate: '2023-11-08',
  knownRansomwareCampaignUse: 'Known',
  notes:
    'https://www.netscaler.com/blog/news/cve-2023-4966/, https://support.citrix.com/article/CTX579459 ;  https://nvd.nist.gov/vuln/detail/CVE-2023-4966',
}

test('CVE-2023-4966, Citrix Bleed: KEV links to the vendor and says what to do', () => {
  const record = fromKev(KevEntry.parse(citrixBleed))
  expect(record.references).toEqual([
    { url: 'https://www.netscaler.com/blog/news/cve-2023-4966/', tags: [] },
    { url: 'https://support.citrix.com/article/CTX579459', tags: [] },
  ])
  const { threats } = mergeRecords({ kev: record })
  expect(threats[0]?.notes).toContain('used in ransomware campaigns')
  expect(threats[0]?.notes).toContain('what to do: Apply mitigations and kill all active and persistent sessions')
})

test('an entry of KEV without notes and action is read', () => {
  const { requiredAction, notes, ...entry } = citrixBleed
  const record = fromKev(KevEntry.parse(entry))
  expect([requiredAction, notes].every(Boolean)).toBe(true)
  expect(record.references).toEqual([])
  expect(mergeRecords({ kev: record }).threats[0]?.notes).not.toContain('what to do')
})

test.each([
  ['CVE-2020-1472, Zerologon: Red Hat speaks of its own', 'redhat', 'redhat:samba', 'Netlogon', true],
  ['a source that lists products of others alone', 'cve', 'samba:samba', 'Netlogon', true],
  [
    'CVE-2019-2725, WebLogic: the record names what has it inside',
    'cve',
    'microsoft:tape_server',
    'WebLogic Server',
    true,
  ],
  ['a source that lists its products knows them better', 'nvd', 'microsoft:windows_10', 'Windows Netlogon', false],
  ['many products without a name', 'nvd', 'microsoft:edge', 'Multiple Products', false],
] as const)('%s: KEV names its own product', (_, source, listed, product, isAdded) => {
  const kev = fromKev(KevEntry.parse({ ...citrixBleed, vendorProject: 'Microsoft', product }))
  const [vendor = '', name = ''] = listed.split(':')
  const products = new Map([[joinName(vendor, name), new Map([[source, { json: '["a:1"]', count: 1 }]])]])
  const once = withNames({ products, packages: new Map() }, { kev })
  const added = `microsoft:${product.toLowerCase().replace(' ', '_')}`
  expect([...once.products.keys()].map((key) => splitName(key).join(':'))).toEqual([
    listed,
    ...(isAdded ? [added] : []),
  ])
  expect(withNames(once, { kev })).toEqual(once)
  expect([...withNames(once, {}).products.keys()]).toContain(joinName(vendor, name))
})

test('the catalogue alone cannot tell of a version, like NVD without one', () => {
  for (const [source, ranges] of [
    ['kev', []],
    ['nvd', ['h:*']],
  ] as const) {
    const answer = judgeStatements('7.1', [{ source, ranges: [...ranges] }])
    expect(answer).toMatchObject({ status: 'unknown', confidence: 'name_only' })
    expect(toRunVerdict(answer)).toBe('unknown')
  }
})

test('a catalogue names real days, and no text that a row cannot hold', () => {
  const euEntry = { cveID: 'CVE-2026-12569', dateReported: '2026/08/17', shortDescription: 'A flaw' }
  expect(EuKevEntry.parse(euEntry)).toMatchObject({ dateReported: '2026-08-17' })
  for (const wrong of ['9999/99/99', '2026/02/30', '2026-2-3', 'soon']) {
    expect(EuKevEntry.safeParse({ ...euEntry, dateReported: wrong }).success).toBe(false)
    expect(KevEntry.safeParse({ ...citrixBleed, dateAdded: wrong.replaceAll('/', '-') }).success).toBe(false)
    expect(KevEntry.parse({ ...citrixBleed, dueDate: wrong }).dueDate).toBe(undefined)
  }
  const long = 'x'.repeat(2_000_000)
  expect(EuKevEntry.parse({ ...euEntry, shortDescription: long, exploitationType: [long] })).toMatchObject({
    shortDescription: undefined,
    exploitationType: [],
  })
  expect(KevEntry.safeParse({ ...citrixBleed, shortDescription: long }).success).toBe(false)
  const release = { name: '1', isEol: false, eolFrom: '2026-02-30' }
  const product = { name: 'a', label: 'A', identifiers: [], releases: [release] }
  expect(EolProduct.safeParse(product).success).toBe(false)
  expect(EolProduct.safeParse({ ...product, releases: [{ ...release, eolFrom: '2028-02-29' }] }).success).toBe(true)
})
