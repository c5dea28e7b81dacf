import { expect, test } from 'vitest'
import { judgeStatements } from '../../worker/domain/versions/affected'
import { fromOsv, OsvAdvisory } from '../../worker/feeds/osv/record'
import { growth, mostGrowth } from '../support/growth'
import { anAdvisory } from '../support/osv'

// Real advisories, made small: their versions, and the verdicts.
type Event = Record<string, string | undefined>
const go = (ranges: Event[], custom: Event[]) => ({
  package: { ecosystem: 'Go', name: 'acme.example/widget' },
  ranges: [{ type: 'SEMVER', events: ranges }],
  ecosystem_specific: { custom_ranges: [{ type: 'ECOSYSTEM', events: custom }] },
})

function judge(affected: unknown[], version: string) {
  const [record] = fromOsv(OsvAdvisory.parse(anAdvisory('GO-2026-0001', { affected })))
  return judgeStatements(version, [{ source: 'osv/GO-2026-0001', ranges: record?.packages?.[0]?.ranges ?? [] }])
}
const statuses = (affected: unknown, versions: string[]) =>
  versions.map((one) => `${one} ${judge([affected], one).status}`)

test('the module proxy and the tags count together for Go modules (GO-2024-3112, GO-2024-2921)', () => {
  const cometbft = go(
    [{ introduced: '0.37.0' }, { fixed: '0.37.11' }, { introduced: '0.38.0' }, { fixed: '0.38.12' }],
    [{ introduced: '0.34.0' }, { fixed: '0.34.34' }],
  )
  expect(statuses(cometbft, ['0.33.0', '0.34.33', '0.34.34', '0.37.5', '0.37.11', '0.38.11'])).toEqual([
    '0.33.0 not_affected',
    '0.34.33 affected',
    '0.34.34 not_affected',
    '0.37.5 affected',
    '0.37.11 not_affected',
    '0.38.11 affected',
  ])
  const vault = go([{ introduced: '0.11.0' }, { fixed: '1.16.3' }], [{ introduced: '0' }, { fixed: '1.15.9' }])
  expect(statuses(vault, ['1.15.9', '1.16.2', '1.16.3'])).toEqual([
    '1.15.9 affected',
    '1.16.2 affected',
    '1.16.3 not_affected',
  ])
  expect(judge([vault], '1.16.2').fixed_in).toBe('1.16.3')
})

test('a range that begins among the tags ends where the proxy has the fix (GO-2026-4465, GO-2026-5102)', () => {
  const spicedb = go([{ introduced: '0' }, { fixed: '1.49.1' }], [{ introduced: '1.29.3' }])
  expect(statuses(spicedb, ['1.49.0', '1.49.1', '1.50.0'])).toEqual([
    '1.49.0 affected',
    '1.49.1 not_affected',
    '1.50.0 not_affected',
  ])
  const kuma = go(
    [{ introduced: '2.9.13' }, { fixed: '2.11.13' }, { introduced: '2.12.4' }, { fixed: '2.12.10' }],
    [{ introduced: '2.9.0' }, { fixed: '2.9.15' }, { introduced: '2.11.0' }, { introduced: '2.12.0' }],
  )
  expect(statuses(kuma, ['2.11.1', '2.11.13', '2.12.1', '2.12.10'])).toEqual([
    '2.11.1 affected',
    '2.11.13 not_affected',
    '2.12.1 affected',
    '2.12.10 not_affected',
  ])
})

test('a module v0.17 has the tag v17: a range without a beginning begins behind the proxy (GO-2024-2826, GO-2024-3312)', () => {
  const vitess = go(
    [{ introduced: '0' }, { fixed: '0.17.7' }, { introduced: '0.18.0' }, { fixed: '0.18.5' }],
    [{ introduced: '0' }, { fixed: '17.0.7' }, { introduced: '18.0.0' }, { fixed: '18.0.5' }],
  )
  expect(statuses(vitess, ['0.17.6', '0.17.7', '0.18.4', '0.18.5', '17.0.6', '17.0.7'])).toEqual([
    '0.17.6 affected',
    '0.17.7 not_affected',
    '0.18.4 affected',
    '0.18.5 affected',
    '17.0.6 affected',
    '17.0.7 not_affected',
  ])
  const lxd = go(
    [{ introduced: '0' }, { fixed: '0.0.0-20240708073652-5a492a3f0036' }],
    [{ introduced: '0' }, { fixed: '5.21.2' }],
  )
  expect(statuses(lxd, ['0.0.0-20240101000000-abcdef012345', '0.0.0-20250101000000-abcdef012345', '5.0.0'])).toEqual([
    '0.0.0-20240101000000-abcdef012345 affected',
    '0.0.0-20250101000000-abcdef012345 not_affected',
    '5.0.0 affected',
  ])
})

test('the tags decide where the proxy knows no fix, and builds without a tag may have the flaw (GO-2024-2768, GO-2024-2476)', () => {
  const rancher = go(
    [{ introduced: '2.0.0+incompatible' }],
    [{ introduced: '0' }, { fixed: '2.4.16' }, { introduced: '2.5.0' }, { fixed: '2.5.9' }],
  )
  expect(statuses(rancher, ['2.4.15', '2.4.16', '2.5.8', '2.5.9'])).toEqual([
    '2.4.15 affected',
    '2.4.16 not_affected',
    '2.5.8 affected',
    '2.5.9 not_affected',
  ])
  const dex = go([{ introduced: '0' }], [{ introduced: '2.37.0' }, { fixed: '2.38.0' }])
  expect(statuses(dex, ['0.0.0-20240101000000-abcdef012345', '2.36.0', '2.37.0', '2.38.0'])).toEqual([
    '0.0.0-20240101000000-abcdef012345 unknown',
    '2.36.0 not_affected',
    '2.37.0 affected',
    '2.38.0 not_affected',
  ])
})

test('a commit that is called the fix says nothing of tags, of which all are affected elsewhere (GO-2025-3817: CVE-2025-6023)', () => {
  const grafana = go([{ introduced: '0' }], [{ introduced: '0' }, { fixed: '0.0.0-20250716083225-fa4ab1d3b0ff' }])
  const commits = ['0.0.0-20250101000000-abcdef012345', '0.0.0-20250801000000-abcdef012345']
  expect(statuses(grafana, [...commits, '11.5.0', '11.6.0+incompatible'])).toEqual([
    `${commits[0]} affected`,
    `${commits[1]} not_affected`,
    '11.5.0 unknown',
    '11.6.0+incompatible unknown',
  ])
  const counted = go([{ introduced: '0' }], [{ introduced: '0' }, { fixed: '1.9.2-0.20250521205822-0ba0b99665a9' }])
  expect(statuses(counted, ['1.9.1', '11.5.0'])).toEqual(['1.9.1 affected', '11.5.0 unknown'])
  expect(judge([grafana], '11.5.0')).toMatchObject({
    is_disputed: true,
    reason: 'Two lists of the record contradict each other about it.',
  })
  const lxd = go(
    [{ introduced: '0' }],
    [{ introduced: '0' }, { fixed: '0.0.0-20250827065555-0494f5d47e41' }, { introduced: '4.0.0' }, { fixed: '5.21.4' }],
  )
  expect(statuses(lxd, ['3.9.0', '4.0.1', '5.21.4'])).toEqual([
    '3.9.0 unknown',
    '4.0.1 affected',
    '5.21.4 not_affected',
  ])
})

test('an end that nobody can read leaves it open (GO-2024-2984)', () => {
  const linkerd = go(
    [{ introduced: '0' }, { fixed: '0.5.1-0.20240614165515-35fb2d6d11ef' }],
    [{ introduced: '0' }, { fixed: 'edge-24.6.2' }],
  )
  expect(statuses(linkerd, ['0.5.0', '0.5.1'])).toEqual(['0.5.0 affected', '0.5.1 unknown'])
})

test('a branch of Composer is before or behind no number (drupal/core)', () => {
  const drupal = {
    package: { ecosystem: 'Packagist', name: 'drupal/core' },
    ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '8.0.0' }, { fixed: '8.9.1' }] }],
  }
  expect(statuses(drupal, ['dev-8.x', 'dev-master', '8.9.x-dev', '8.9.1-dev'])).toEqual([
    'dev-8.x unknown',
    'dev-master unknown',
    '8.9.x-dev not_affected',
    '8.9.1-dev affected',
  ])
})

const ofGithub = (events: Event[], last_known_affected_version_range: string, ecosystem = 'npm') => ({
  package: { ecosystem, name: 'acme' },
  ranges: [{ type: 'ECOSYSTEM', events }],
  database_specific: { last_known_affected_version_range },
})

test('an end that GitHub writes outside of the ranges is one, and no fix (GHSA-2q6j-gqc4-4gw3, GHSA-vqf5-2xx6-9wfm)', () => {
  const anoncreds = ofGithub([{ introduced: '0' }], '< 0.3', 'crates.io')
  expect(judge([anoncreds], '0.2.9')).toMatchObject({ status: 'affected', fixed_in: null, first_unlisted: '0.3' })
  expect(judge([anoncreds], '0.3.0').status).toBe('not_affected')

  const codeql = [
    ofGithub([{ introduced: '3.26.11' }, { fixed: '3.28.3' }], '<= 3.28.2', 'GitHub Actions'),
    ofGithub([{ introduced: '2.26.11' }], '< 3.0.0', 'GitHub Actions'),
  ]
  const versions = ['2.26.10', '2.26.11', '2.99.0', '3.0.0', '3.26.11', '3.28.2', '3.28.3']
  expect(versions.filter((one) => judge(codeql, one).status === 'affected')).toEqual([
    '2.26.11',
    '2.99.0',
    '3.26.11',
    '3.28.2',
  ])
})

test.each([
  ['it ends before what begins', [{ introduced: '2.0.0' }], '< 1.0.0', '2.5.0', 'affected'],
  ['it says nothing readable', [{ introduced: '0' }], 'all of them', '2.5.0', 'affected'],
  ['it includes the last one', [{ introduced: '0' }], '>= 1.0.0, <= 2.5.0', '2.5.0', 'affected'],
  ['the range ends itself', [{ introduced: '0' }, { fixed: '3.0.0' }], '<= 2.0.0', '2.5.0', 'affected'],
])('of such an end: %s', (_, events, text, version, status) => {
  expect(judge([ofGithub(events, text)], version).status).toBe(status)
})

test('a module of Go that is written as an address is that module (GHSA-75rw-34q6-72cr)', () => {
  const affected = [
    { package: { ecosystem: 'Go', name: 'https://github.com/biscuit-auth/biscuit-go' }, versions: ['1.0.0'] },
  ]
  const [record] = fromOsv(OsvAdvisory.parse(anAdvisory('GHSA-75rw-34q6-72cr', { affected })))
  expect(record?.packages?.[0]?.name).toBe('github.com/biscuit-auth/biscuit-go')
})

test("a repository's own advisory is that of its makers (GHSA-449p-3h89-pw88)", () => {
  const own = 'https://github.com/go-git/go-git/security/advisories/GHSA-449p-3h89-pw88'
  const urls = [own, 'https://github.com/advisories/GHSA-7rjr-3q55-vv33', 'https://github.com/go-git/go-git']
  const references = urls.map((url) => ({ type: 'WEB', url }))
  const [record] = fromOsv(OsvAdvisory.parse(anAdvisory('GHSA-449p-3h89-pw88', { references })))
  expect(record?.references?.slice(1).map(({ tags }) => tags)).toEqual([['Vendor Advisory'], [], []])
})

test('thousands of stretches beside thousands of others take work as they are long', () => {
  const judgeMany = (size: number) => {
    const events = Array.from({ length: size }, (_, at) =>
      at % 2 ? { fixed: `1.${at}.0` } : { introduced: `1.${at}.0` },
    )
    const starts = Array.from({ length: size }, (_, at) => ({ introduced: `0.0.${at}` }))
    for (const custom of [events, starts]) judge([go(events, custom)], '1.2.3')
  }
  expect(growth(judgeMany, 10_000)).toBeLessThan(mostGrowth)
})

const longDetails = (code: string) =>
  `### Summary\nThe subsetting module resolves entities.\n\n### PoC\n${code}\n### Patches\nUpdate to 4.43.0.\n\n### Credits\nJane\n\n### Possible Mitigations\nSet resolve_entities=False.`
const readSummary = (details: string) =>
  fromOsv(OsvAdvisory.parse(anAdvisory('GHSA-6673-4983-2vx5', { summary: 'XXE in fonttools', details })))[0]?.summary ??
  ''

test('of a long advisory what to do is kept, and not the code that shows the flaw (GHSA-6673-4983-2vx5)', () => {
  const summary = readSummary(longDetails('print(1)\n'.repeat(1_000)))
  expect(summary.length).toBeLessThan(3_010)
  expect(summary).toMatch(/^XXE in fonttools\n\n### Summary\nThe subsetting module/)
  expect(summary).toMatch(
    / …\n\n### Patches\nUpdate to 4\.43\.0\.\n\n### Possible Mitigations\nSet resolve_entities=False\.$/,
  )
  expect(readSummary(longDetails('print(1)\n'))).toContain('### Credits')
  const early = readSummary(`${longDetails('print(1)\n'.repeat(200))}\n\n### Log\n${'line '.repeat(1_000)}`)
  expect(early.match(/### Patches/g)).toHaveLength(1)
})

test('a long advisory without such sections, or with endless ones, is cut at its end', () => {
  expect(readSummary('word '.repeat(5_000))).toMatch(/^XXE in fonttools\n\nword word .* word …$/s)
  const endless = readSummary(`${'word '.repeat(5_000)}\n### Patches\n${'more '.repeat(5_000)}`)
  expect(endless.length).toBeLessThan(3_010)
  expect(endless).toMatch(/word …\n\n### Patches\nmore .* more …$/s)
})

test('an advisory of more aliases than anything has is refused whole', () => {
  const aliases = (count: number) => Array.from({ length: count }, (_, at) => `GHSA-${at}`)
  const read = (count: number) => OsvAdvisory.safeParse(anAdvisory('MAL-2026-1', { aliases: aliases(count) }))
  expect([read(1_000).success, read(1_001).success]).toEqual([true, false])
})
