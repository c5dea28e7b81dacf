import fc from 'fast-check'
import { expect, test } from 'vitest'
import { writeCsafVex } from '../../worker/inventories/vex/csaf-vex'
import { inapplicable, mandatoryProblems, mandatoryRules, type Csaf } from '../support/csaf-mandatory'
import { anyStatements, anyWords, asSent, vexStatements, vexSubject as subject } from '../support/vex-statement'

test('the demands of CSAF hold whatever is decided (sections 6.1.1 to 6.1.33)', () => {
  fc.assert(
    fc.property(anyStatements, anyWords, (found, words) => {
      const told = { ...subject, ...words, page: `https://earshot.example/${encodeURIComponent(words.name)}` }
      const csaf = asSent(writeCsafVex(told, found))
      expect(mandatoryProblems(csaf)).toEqual([])
    }),
    { numRuns: 300 },
  )
})

test('every mandatory test of CSAF 2.0 has its rule, or a reason why it cannot apply', () => {
  const profiles = Array.from({ length: 11 }, (_, at) => `6.1.27.${at + 1}`)
  const all = Array.from({ length: 33 }, (_, at) => `6.1.${at + 1}`).flatMap((one) =>
    one === '6.1.27' ? profiles : one,
  )
  expect([...Object.keys(mandatoryRules), ...Object.keys(inapplicable)].toSorted()).toEqual(all.toSorted())
  for (const { why } of Object.values(inapplicable)) expect(why).toMatch(/\w+ \w+/)
})

type Breaking = (csaf: Csaf) => void
const product = (product_id: string) => ({ product_id, name: product_id })
const breaking: Record<string, Breaking> = {
  '6.1.1': (csaf) => csaf.vulnerabilities?.[0]?.product_status?.['known_affected']?.push('nobody'),
  '6.1.2': (csaf) => csaf.product_tree?.full_product_names?.push(product('component-1')),
  '6.1.3': (csaf) => {
    const link = {
      product_reference: 'a',
      relates_to_product_reference: 'component-1',
      full_product_name: product('a'),
    }
    csaf.product_tree = { ...csaf.product_tree, relationships: [link] }
  },
  '6.1.4': (csaf) => csaf.vulnerabilities?.[0]?.flags?.push({ label: 'component_not_present', group_ids: ['nobody'] }),
  '6.1.5': (csaf) => {
    const group = { group_id: 'g', product_ids: ['component-1'] }
    csaf.product_tree = { ...csaf.product_tree, product_groups: [group, group] }
  },
  '6.1.6': (csaf) => (csaf.vulnerabilities?.[0]?.product_status ?? {})['known_not_affected']?.push('component-1'),
  '6.1.7': (csaf) => {
    const score = { products: ['component-1'], cvss_v3: {} }
    Object.assign(csaf.vulnerabilities?.[0] ?? {}, { scores: [score, score] })
  },
  '6.1.12': (csaf) => (csaf.document.lang = 'EZ'),
  '6.1.13': (csaf) =>
    Object.assign(csaf.product_tree?.full_product_names?.[0] ?? {}, {
      product_identification_helper: { purl: 'pkg:maven/@1' },
    }),
  '6.1.14': ({ document: { tracking } }) => {
    tracking.revision_history.push({ date: '2020-01-01T00:00:00Z', number: '2' })
  },
  '6.1.15': ({ document }) => (document.publisher.category = 'translator'),
  '6.1.16': ({ document: { tracking } }) => (tracking.version = '2'),
  '6.1.17': ({ document: { tracking } }) => (tracking.version = '0'),
  '6.1.18': ({ document: { tracking } }) =>
    tracking.revision_history.push({ date: '2020-01-01T00:00:00Z', number: '0' }),
  '6.1.19': ({ document: { tracking } }) =>
    tracking.revision_history.push({ date: '2027-01-01T00:00:00Z', number: '1-rc' }),
  '6.1.20': ({ document: { tracking } }) => (tracking.version = '1.0.0-beta'),
  '6.1.21': ({ document: { tracking } }) =>
    tracking.revision_history.push({ date: '2027-01-01T00:00:00Z', number: '3' }),
  '6.1.22': ({ document: { tracking } }) =>
    tracking.revision_history.push({ date: '2027-01-01T00:00:00Z', number: '1' }),
  '6.1.23': (csaf) => csaf.vulnerabilities?.push({ ...csaf.vulnerabilities[0] }),
  '6.1.24': (csaf) => {
    const one = { party: 'vendor', date: '2026-01-01' }
    Object.assign(csaf.vulnerabilities?.[0] ?? {}, { involvements: [one, one] })
  },
  '6.1.27.4': (csaf) => delete csaf.product_tree,
  '6.1.27.5': (csaf) => delete csaf.vulnerabilities?.[0]?.notes,
  '6.1.27.7': (csaf) => delete csaf.vulnerabilities?.[0]?.product_status,
  '6.1.27.8': (csaf) => delete csaf.vulnerabilities?.[0]?.cve,
  '6.1.27.9': (csaf) => {
    delete csaf.vulnerabilities?.[0]?.flags
    delete csaf.vulnerabilities?.[0]?.threats
  },
  '6.1.27.10': (csaf) => delete csaf.vulnerabilities?.[0]?.remediations,
  '6.1.27.11': (csaf) => delete csaf.vulnerabilities,
  '6.1.28': ({ document }) => (document.source_lang = 'en'),
  '6.1.29': (csaf) => csaf.vulnerabilities?.[0]?.remediations?.push({ category: 'workaround' }),
  '6.1.30': ({ document: { tracking } }) => (tracking.version = '1.0.0'),
  '6.1.31': (csaf) => {
    const branches = [{ category: 'product_version', name: '<= 4.1', product: product('b') }]
    csaf.product_tree = { ...csaf.product_tree, branches }
  },
  '6.1.32': (csaf) => csaf.vulnerabilities?.[0]?.flags?.push({ label: 'component_not_present' }),
  '6.1.33': (csaf) => {
    const [flag] = csaf.vulnerabilities?.[0]?.flags ?? []
    if (flag) csaf.vulnerabilities?.[0]?.flags?.push({ ...flag, label: 'component_not_present' })
  },
}

test.each(Object.keys(mandatoryRules))('the rule of %s sees what breaks it', (number) => {
  const csaf: Csaf = asSent(writeCsafVex(subject, vexStatements))
  expect(mandatoryProblems(csaf)).toEqual([])
  breaking[number]?.(csaf)
  expect(mandatoryProblems(csaf).filter((problem) => problem.startsWith(`${number} `))).not.toEqual([])
})
