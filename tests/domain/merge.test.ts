import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mergeRecords } from '../../worker/domain/words/merge'
import type { ExploitRecord, VulnRecord } from '../../worker/domain/words/record'

const nvd: VulnRecord = {
  cveid: 'CVE-2024-10001',
  state: 'published',
  summary: 'A flaw.',
  published: '2024-01-01T00:00:00Z',
  modified: '2024-02-01T00:00:00Z',
  assigner: 'cna@example.org',
  cvss3: { score: 9.8, vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', by: 'nvd@nist.gov' },
  cwe_ids: ['CWE-79'],
  references: [
    { url: 'https://a.example', tags: ['Exploit'] },
    { url: 'https://b.example', tags: ['Vendor Advisory', 'Press/Media Coverage'] },
  ],
}
const kev: VulnRecord = {
  cveid: 'CVE-2024-10001',
  state: 'awaiting',
  summary: 'It is being attacked.',
  cwe_ids: ['CWE-22'],
  kev: { added: '2024-03-01', due: '2024-03-22', ransomware: true, name: 'Flaw' },
}

const exploit: ExploitRecord = {
  key: 'edb:1',
  link: 'https://www.exploit-db.com/exploits/1',
  notes: 'A flaw - remote code execution',
  trust_level: 'high',
  availability: 'public',
  maturity: 'functional',
  type: 'exploitation',
  published: '2024-01-05T00:00:00Z',
}
const record = (more: Partial<VulnRecord> = {}): VulnRecord => ({
  cveid: 'CVE-2024-10001',
  state: 'published',
  ...more,
})

test('NVD is believed before KEV, field by field', () => {
  expect(mergeRecords({ nvd, kev })).toMatchObject({
    state: 'published',
    summary: 'A flaw.',
    cwe_ids: ['CWE-79'],
    kev: kev.kev,
  })
  // Marks of others stay after CISA took an entry back (CVE-2024-43491).
  expect(mergeRecords({ nvd: { ...nvd, kev: kev.kev } })).toMatchObject({ kev: null, is_in_the_wild: false })
  expect(mergeRecords({ kev })).toMatchObject({
    state: 'awaiting',
    summary: 'It is being attacked.',
    cwe_ids: ['CWE-22'],
    cvss3: null,
  })
})

test('a source that says nothing of a field leaves it to the next', () => {
  expect(mergeRecords({ nvd: { ...nvd, cwe_ids: [] }, kev }).cwe_ids).toEqual(['CWE-22'])
})

test('flags follow from tagged references and from KEV', () => {
  const { is_exploitable, is_confirmed, is_in_the_news, is_in_the_wild, exploits } = mergeRecords({ nvd })
  expect([is_exploitable, is_confirmed, is_in_the_news, is_in_the_wild, exploits.length]).toEqual([
    true,
    true,
    true,
    false,
    1,
  ])
  expect(mergeRecords({ nvd: { ...nvd, references: [] }, kev })).toMatchObject({
    is_exploitable: true,
    is_in_the_wild: true,
    threats: [{ key: 'kev', source: 'kev', is_in_the_wild: true, published: '2024-03-01T00:00:00Z' }],
  })
  expect(mergeRecords({ nvd: { ...nvd, references: [] } })).toMatchObject({
    is_exploitable: false,
    is_confirmed: false,
    is_in_the_wild: false,
  })
})

test('a rejected vulnerability claims nothing, whoever else names it', () => {
  expect(mergeRecords({ nvd: { ...nvd, state: 'rejected' }, kev })).toMatchObject({
    state: 'rejected',
    cvss3: null,
    kev: null,
    is_exploitable: false,
    is_in_the_wild: false,
    exploits: [],
    threats: [],
  })
})

test('references of all sources stand once, with the tags of all', () => {
  const more: VulnRecord = {
    ...kev,
    references: [
      { url: 'https://a.example', tags: ['Patch'] },
      { url: 'https://c.example', tags: [] },
    ],
  }
  expect(mergeRecords({ nvd, kev: more }).references).toEqual([
    { url: 'https://a.example', tags: ['Exploit', 'Patch'] },
    { url: 'https://b.example', tags: ['Vendor Advisory', 'Press/Media Coverage'] },
    { url: 'https://c.example', tags: [] },
  ])
})

test('the CVE list words the summary, NVD judges the weakness, and each field tells its source', () => {
  const merged = mergeRecords({
    nvd,
    cve: record({ summary: 'As its CNA says.', cwe_ids: ['CWE-1'], assigner: 'acme' }),
    'ghsa/GHSA-aaaa-bbbb-cccc': record({ summary: 'As GitHub says.' }),
  })
  expect(merged).toMatchObject({ summary: 'As its CNA says.', assigner: 'acme', cwe_ids: ['CWE-79'] })
  expect(merged.provenance).toMatchObject({ summary: 'cve', cwe_ids: 'nvd', cvss3: 'nvd' })
})

test.each([
  ['NVD before the CNA', { nvd: '3.1', cve: '3.1' }, 'nvd'],
  ['the CNA before Red Hat', { cve: '3.1', redhat: '3.1' }, 'cve'],
  ['a newer version before NVD', { nvd: '3.0', redhat: '3.1' }, 'redhat'],
  ['NVD where nobody has a newer one', { nvd: '3.0', cve: '3.0' }, 'nvd'],
])('CVSS 3: %s', (_, versions, by) => {
  const records = Object.entries(versions).map(([source, version]) => [
    source,
    record({ cvss3: { score: 5, vector: `CVSS:${version}/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:L`, by: source } }),
  ])
  expect(mergeRecords(Object.fromEntries(records)).cvss3?.by).toBe(by)
})

test('the text of an admin wins over all', () => {
  expect(mergeRecords({ nvd, cve: record({ summary: 'Theirs.' }), manual: record({ summary: 'Ours.' }) }).summary).toBe(
    'Ours.',
  )
})

test('one exploit that several sources name is one, with what the best of them knows', () => {
  const { exploits } = mergeRecords({
    nvd: {
      ...nvd,
      references: [
        { url: 'http://www.exploit-db.com/exploits/1/', tags: ['Exploit'] },
        { url: 'https://poc.example/x', tags: ['Exploit'] },
      ],
    },
    exploitdb: record({ state: 'awaiting', exploits: [exploit] }),
  })
  expect(exploits.map(({ key, source, maturity }) => [key, source, maturity])).toEqual([
    ['edb:1', 'exploitdb', 'functional'],
    ['poc.example/x', 'nvd', 'unknown'],
  ])
})

test('the CVE list decides whether a CVE is rejected, then NVD', () => {
  const rejected = record({ state: 'rejected', summary: 'Rejected.' })
  expect(mergeRecords({ cve: rejected, nvd, kev }).state).toBe('rejected')
  expect(mergeRecords({ cve: record(), nvd: rejected }).state).toBe('published')
  expect(mergeRecords({ nvd: rejected, 'osv/GO-1': record() }).state).toBe('rejected')
})

test('an advisory that was withdrawn says no more than that', () => {
  const withdrawn = record({ ref: 'GO-1', state: 'rejected', summary: 'Withdrawn.', cwe_ids: ['CWE-5'] })
  const both = mergeRecords({ 'osv/GO-1': withdrawn, 'osv/GO-2': record({ ref: 'GO-2', summary: 'Stands.' }) })
  expect(both).toMatchObject({ state: 'published', summary: 'Stands.', cwe_ids: [], aliases: ['GO-1', 'GO-2'] })
  expect(mergeRecords({ 'osv/GO-1': withdrawn }).state).toBe('rejected')
  expect(mergeRecords({}).state).toBe('rejected')
})

test('a CVE that only lists of exploits name awaits its record', () => {
  const alone = mergeRecords({ exploitdb: record({ state: 'awaiting', summary: 'A flaw', exploits: [exploit] }) })
  expect(alone).toMatchObject({ state: 'awaiting', summary: 'A flaw', is_exploitable: true, modified: null })
})

test('the order in which records arrive makes no difference', () => {
  const parts: [string, VulnRecord][] = [
    ['nvd', nvd],
    ['kev', kev],
    ['cve', record({ summary: 'C', references: [{ url: 'https://z.example', tags: ['Exploit'] }] })],
    ['redhat', record({ summary: 'R', aliases: ['RHSA-2024:1'] })],
    ['osv/GO-1', record({ ref: 'GO-1', summary: 'O' })],
    ['osv/GO-2', record({ ref: 'GO-2', summary: 'P' })],
    ['exploitdb', record({ state: 'awaiting', exploits: [exploit] })],
  ]
  const expected = JSON.stringify(mergeRecords(Object.fromEntries(parts)))
  fc.assert(
    fc.property(fc.shuffledSubarray(parts, { minLength: parts.length }), (shuffled) => {
      expect(JSON.stringify(mergeRecords(Object.fromEntries(shuffled)))).toBe(expected)
    }),
  )
})
