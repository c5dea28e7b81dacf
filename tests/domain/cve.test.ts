import { expect, test } from 'vitest'
import { idWord, listCitedIds } from '../../worker/domain/names/cited-ids'
import { canonicalId, isCveId, parsePhId, readCveId } from '../../worker/domain/names/cve'

test.each(['CVE-1999-0001', 'CVE-2024-3094', 'CVE-2021-44228', 'CVE-2014-100005', 'CVE-2024-1234567'])(
  '%s is a CVE id',
  (id) => expect(isCveId(id)).toBe(true),
)

test.each([
  '',
  'CVE-2024-123',
  'CVE-24-1234',
  'cve-2024-1234',
  ' CVE-2024-1234',
  'CVE-2024-1234\n',
  'CVE-2024-12a4',
  'GHSA-jfh8-c2jp-5v3q',
])('%j is no CVE id', (id) => expect(isCveId(id)).toBe(false))

test.each([
  ['PH-12', 12],
  ['ph-1', 1],
  [' PH-300000 ', 300_000],
])('%j is the vulnerability %d', (text, id) => expect(parsePhId(text)).toBe(id))

test.each(['', 'PH-', 'PH-0', 'PH-012', 'PH-1.5', 'PH--1', '12', 'CVE-2024-1234', 'PH-99999999999999999999'])(
  '%j is none of our ids',
  (text) => expect(parsePhId(text)).toBeNull(),
)

test.each([
  ['https://access.redhat.com/errata/RHSA-2024%3A4312', ['rhsa20244312']],
  ['https://ubuntu.com/security/notices/USN-6859-1', ['usn6859']],
  ['http://www.debian.org/security/2014/dsa-2896', ['dsa2896']],
  ['https://docs.microsoft.com/en-us/security-updates/securitybulletins/2014/ms14-068', ['ms14068']],
  ['https://support.microsoft.com/en-us/help/4012212', ['kb4012212']],
  ['https://www.kb.cert.org/vuls/id/930724', ['vu930724']],
  ['https://www.exploit-db.com/exploits/50592', ['edb50592']],
  ['https://github.com/advisories/GHSA-jfh8-c2jp-5v3q', ['ghsajfh8c2jp5v3q']],
  ['https://support.citrix.com/article/CTX579459/netscaler', ['ctx579459']],
  ['https://example.org/KB123456789/ms14-0689', []],
])('%s names %j', (url, words) => expect(listCitedIds(url).map(idWord)).toEqual(words))

test.each([
  ['cve 2023 34362', 'CVE-2023-34362'],
  ['2024-3400', 'CVE-2024-3400'],
  ['cve2019-19781', 'CVE-2019-19781'],
  ['CVE\u20112021\u201141773', 'CVE-2021-41773'],
  ['2024', null],
  ['openssl 2024-1', null],
])('%j is read as %s', (text, id) => expect(readCveId(text)).toBe(id))

test.each([
  ['ghsa-JFH8-c2jp-5v3q', 'GHSA-jfh8-c2jp-5v3q'],
  ['rhsa-2024:1', 'RHSA-2024:1'],
])('%s is stored as %s', (text, id) => expect(canonicalId(text)).toBe(id))
