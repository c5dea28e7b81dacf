import { readFileSync, readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { BadDocument } from '../../worker/inventories/read/bad-document'
import { readAtOnce } from '../support/read-inventory'
import { realFeeds } from '../support/real-data'

const folder = fileURLToPath(new URL('sbom/', realFeeds))
const listFiles = (at: string): string[] =>
  readdirSync(at).flatMap((name) =>
    statSync(`${at}${name}`).isDirectory() ? listFiles(`${at}${name}/`) : [`${at}${name}`],
  )

function readSample(name: string) {
  const bytes = readFileSync(folder + name)
  return readAtOnce((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'))
}

function tryToRead(name: string) {
  try {
    return readSample(name).components.length
  } catch (error) {
    if (error instanceof BadDocument) return error.message
    throw error
  }
}

const sbom = 'cyclonedx/bom-examples/SBOM/'

test('every sample of the two formats is read, or refused for a reason', () => {
  const answers = listFiles(folder).map((file) => [file.slice(folder.length), tryToRead(file.slice(folder.length))])
  expect(answers.length).toBeGreaterThan(70)
  const refused = answers.filter(([, answer]) => typeof answer === 'string')
  const reasons = new Set(refused.map(([, answer]) => String(answer).replace(/\d\.\d.*$/, '…')))
  expect([...reasons].sort()).toEqual(['specVersion: CycloneDX …'])
  expect(refused.map(([name]) => name).filter((name) => !/1\.[01]\.xml/.test(String(name)))).toEqual([])
})

test('the same bill of materials says the same in JSON and in XML', () => {
  for (const [json, xml] of [
    ['dropwizard-1.3.15/bom.json.gz', 'dropwizard-1.3.15/bom.xml.gz'],
    ['keycloak-10.0.2/bom.json.gz', 'keycloak-10.0.2/bom.xml.gz'],
    ['laravel-7.12.0/bom.1.4.json', 'laravel-7.12.0/bom.1.4.xml'],
  ] as const) {
    const [a, b] = [readSample(sbom + json), readSample(sbom + xml)]
    const names = ({ components }: typeof a) => components.map(({ purl, version }) => [purl, version])
    expect(names(a)).toEqual(names(b))
  }
})

test('SPDX 2.3 and 3.0 of the same product name the same packages', () => {
  const names = (name: string) =>
    readSample(name).components.map(({ name: one, version, purl }) => [one, version, purl])
  expect(names('spdx/example14/spdx3.0/examplemaven-0.0.1-enriched.spdx3.json').sort()).toEqual(
    names('spdx/example14/spdx2.3/examplemaven-0.0.1-enriched.spdx.json').sort(),
  )
})
