import { expect, test } from 'vitest'
import { isCveId } from '../../worker/domain/names/cve'
import { famousNames, findFamous } from '../../worker/domain/names/famous'

test.each([
  ['Log4Shell', 'CVE-2021-44228'],
  ['heart bleed', 'CVE-2014-0160'],
  ['Citrix Bleed', 'CVE-2023-4966'],
  ['citrixbleed2', 'CVE-2025-5777'],
  ['regresshion', 'CVE-2024-6387'],
  ['zip-slip', 'CVE-2018-1002200'],
])('%s is %s', (name, cveid) => expect(findFamous(name)[0]).toBe(cveid))

test('a name is that of each of its ids, and ids have the form of CVE ids', () => {
  for (const cveid of findFamous('ProxyShell')) {
    expect(isCveId(cveid)).toBe(true)
    expect(famousNames(cveid)).toContain('ProxyShell')
  }
  expect(famousNames('CVE-2018-12130')).toEqual(['RIDL', 'ZombieLoad'])
  expect([findFamous('log4j'), findFamous(''), findFamous('__proto__'), famousNames(null)]).toEqual([[], [], [], []])
})
