import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readAlternatives, matchAlternatives } from '../../worker/db/fts'
import { listSpoken, readSpoken } from '../../worker/domain/query/spoken'
import table from '../../worker/domain/query/spoken-words.json'
import { splitWords } from '../../worker/domain/query/words'

const found = (text: string) => matchAlternatives(readAlternatives(text))

test.each([
  ['k8s', '("k8s"* OR "kubernetes")'],
  ['K8S apache', '("K8S" OR "kubernetes") AND "apache"*'],
  [
    'apache auth bypass',
    '"apache" AND ("auth" AND "bypass"* OR "authentication bypass" OR "bypass authentication" OR "bypass of authentication" OR "improper authentication" OR "missing authentication" OR "cwe287" OR "cwe288" OR "cwe306")',
  ],
  ['auth', '"auth"*'],
  ['pan-os ha', '("pan" AND "os" OR "panos") AND "ha"'],
  ['flaw in the kernel', '"flaw" AND "kernel"*'],
  ['the', '"the"*'],
  ['kubernetes', '"kubernetes"*'],
  ['a1 " OR 1', '"a1" AND "1"'],
  ['--', ''],
  ['VMSA-2021-0010 esxi', '("VMSA 2021 0010" OR "vmsa20210010") AND "esxi"*'],
  ['usn-6859-1', '("usn 6859 1"* OR "usn6859")'],
  ['follina msdt', '("follina" OR "CVE 2022 30190") AND "msdt"*'],
])('%s asks the full text for %s', (text, match) => expect(found(text)).toBe(match))

test('the screen is told what is found as well, and nothing where a word means itself alone', () => {
  expect(listSpoken('XSS in wordpress')).toEqual([{ words: 'XSS', others: ['cross site scripting', 'CWE-79'] }])
  expect(listSpoken('wordpress')).toEqual([])
})

test('each entry of the table is written as words are split, says something else than itself, and names its source', () => {
  expect([table.source, table.date].every(Boolean)).toBe(true)
  for (const [words, others] of Object.entries(table.words)) {
    expect([words, splitWords(words.toLowerCase()).join(' ')]).toEqual([words, words])
    expect(readSpoken(words)).toMatchObject([{ words: words.split(' ') }])
    for (const other of others) {
      expect([words, other.split('+').flatMap(splitWords).join(' ')]).toEqual([words, other.replaceAll('+', ' ')])
      expect(other).not.toBe(words)
    }
  }
})

test('a search keeps its words in their order, whatever is said as well, and asks for at most 36 of them', () => {
  const word: fc.Arbitrary<string> = fc.constantFrom(
    ...'rce apache auth bypass lpe o365 the log4j eop Office'.split(' '),
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), (words: string[]) => {
      const spoken = readSpoken(words.join(' '))
      const own = spoken.flatMap((one) => one.words)
      let at = 0
      for (const one of own) {
        at = words.indexOf(one, at) + 1
        expect(at).toBeGreaterThan(0)
      }
      expect(spoken.length + spoken.flatMap(({ others }) => others.flat()).length).toBeLessThanOrEqual(36)
    }),
  )
})
