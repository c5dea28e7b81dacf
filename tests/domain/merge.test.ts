import { expect, test } from 'vitest'
import { merge } from '../../worker/domain/merge'
import type { VulnRecord } from '../../worker/domain/record'

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

test('NVD is believed before KEV, field by field', () => {
  expect(merge({ nvd, kev })).toMatchObject({
    state: 'published',
    summary: 'A flaw.',
    cwe_ids: ['CWE-79'],
    kev: kev.kev,
  })
  expect(merge({ kev })).toMatchObject({
    state: 'awaiting',
    summary: 'It is being attacked.',
    cwe_ids: ['CWE-22'],
    cvss3: null,
  })
})

test('a source that says nothing of a field leaves it to the next', () => {
  expect(merge({ nvd: { ...nvd, cwe_ids: [] }, kev }).cwe_ids).toEqual(['CWE-22'])
})

test('flags follow from tagged references and from KEV', () => {
  const { is_exploitable, is_confirmed, is_in_the_news, is_in_the_wild, exploit_count } = merge({ nvd })
  expect([is_exploitable, is_confirmed, is_in_the_news, is_in_the_wild, exploit_count]).toEqual([
    true,
    true,
    true,
    false,
    1,
  ])
  expect(merge({ nvd: { ...nvd, references: [] }, kev })).toMatchObject({
    is_exploitable: true,
    is_in_the_wild: true,
    threat_activity_count: 1,
  })
  expect(merge({ nvd: { ...nvd, references: [] } })).toMatchObject({
    is_exploitable: false,
    is_confirmed: false,
    is_in_the_wild: false,
  })
})

test('a rejected vulnerability claims nothing, whoever else names it', () => {
  expect(merge({ nvd: { ...nvd, state: 'rejected' }, kev })).toMatchObject({
    state: 'rejected',
    cvss3: null,
    kev: null,
    is_exploitable: false,
    is_in_the_wild: false,
    exploit_count: 0,
    threat_activity_count: 0,
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
  expect(merge({ nvd, kev: more }).references).toEqual([
    { url: 'https://a.example', tags: ['Exploit', 'Patch'] },
    { url: 'https://b.example', tags: ['Vendor Advisory', 'Press/Media Coverage'] },
    { url: 'https://c.example', tags: [] },
  ])
})
