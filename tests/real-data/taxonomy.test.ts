import { createReadStream, readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { expect, test } from 'vitest'
import { readAttackPatterns, AttackTechnique, CapecPattern } from '../../worker/feeds/taxonomy/attack-objects'
import { readCweJson, weaknessRows } from '../../worker/feeds/taxonomy/cwe-record'
import { readCweZip } from '../../worker/feeds/taxonomy/cwe-xml'
import { realFeeds } from '../support/real-data'

// MITRE's whole publications, through the same door as in the product.
const mirror = realFeeds

const fileStream = (path: string) =>
  Readable.toWeb(createReadStream(new URL(path, mirror))) as ReadableStream<Uint8Array>
const toStream = (path: string) =>
  Readable.toWeb(createReadStream(new URL(path, mirror)).pipe(createGunzip())) as ReadableStream<Uint8Array>

const decoded = (text: string) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

test('CWE says the same in XML and in JSON: 965 weaknesses and 409 categories', async () => {
  const xml = await readCweZip(fileStream('cwe/cwec_v4.16.xml.zip'))
  const json = await readCweJson(toStream('cwe/cwe_v4.16.json.gz'))
  expect(xml.version).toBe('4.16')
  const [fromXml, fromJson] = [weaknessRows(xml.items), weaknessRows(json.items)]
  expect([fromXml.skipped, fromJson.skipped]).toEqual([[], []])
  expect(fromXml.rows).toHaveLength(965 + 409)
  // The mirror's XML was rebuilt and escapes some texts twice.
  const unescaped = fromXml.rows.map((row) => row.map((cell) => (typeof cell === 'string' ? decoded(cell) : cell)))
  expect(unescaped).toEqual(fromJson.rows)
  const texts = fromJson.rows.map((row) => String(row[2]))
  expect(texts.filter((text) => /<\/?xhtml:|&lt;|&amp;|\n\n/.test(text))).toEqual([])
})

test('CAPEC leads from weaknesses to techniques exactly as the derived table of the mirror says', async () => {
  const { patterns, skipped } = await readAttackPatterns(toStream('capec/stix-capec.json.gz'), CapecPattern)
  expect(skipped).toEqual([])
  const shown = patterns.filter(({ is_shown }) => is_shown)
  expect([patterns.length, shown.length]).toEqual([615, 559])
  const links = shown.flatMap(({ id, cwe_ids, technique_ids }) =>
    cwe_ids.flatMap((cwe_id) =>
      (technique_ids.length ? technique_ids : ['']).map((technique) => `CWE-${cwe_id},CAPEC-${id},${technique}`),
    ),
  )
  const [, ...derived] = readFileSync(new URL('cwe/cwe_capec_attack.derived.csv', mirror), 'utf8').trim().split(/\r?\n/)
  expect(links.toSorted()).toEqual(derived.toSorted())
})

test.each([
  ['enterprise', 835 - 132 - 12],
  ['mobile', 190 - 53 - 13],
  ['ics', 95 - 12],
])('ATT&CK for %s is read without what was revoked or deprecated', async (domain, count) => {
  const { patterns, skipped } = await readAttackPatterns(toStream(`attack/${domain}-attack.json.gz`), AttackTechnique)
  expect(skipped).toEqual([])
  const shown = patterns.filter(({ is_shown }) => is_shown)
  expect(new Set(shown.map(({ external_id }) => external_id)).size).toBe(count)
  expect(
    shown.every(({ domains, url }) => domains.includes(domain) && url.startsWith('https://attack.mitre.org/')),
  ).toBe(true)
  expect(
    shown.filter(({ description }) => /\(Citation:|\]\(http|<code>/.test(description)).map((one) => one.external_id),
  ).toEqual([])
})
