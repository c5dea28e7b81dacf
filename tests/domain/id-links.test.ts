import { expect, test } from 'vitest'
import { idLinks } from '../../worker/domain/names/id-links'

test.each([
  [
    'CVE-2021-44228',
    ['https://nvd.nist.gov/vuln/detail/CVE-2021-44228', 'https://www.cve.org/CVERecord?id=CVE-2021-44228'],
  ],
  ['GHSA-jfh8-c2jp-5v3q', ['https://github.com/advisories/GHSA-jfh8-c2jp-5v3q']],
  ['RHSA-2019:0746', ['https://access.redhat.com/errata/RHSA-2019:0746']],
  ['RHBA-2015:2194', ['https://access.redhat.com/errata/RHBA-2015:2194']],
  ['GO-2020-0001', ['https://osv.dev/vulnerability/GO-2020-0001']],
  ['PYSEC-2005-1', ['https://osv.dev/vulnerability/PYSEC-2005-1']],
  ['GHSA-jfh8/../../x', []],
  ['SNYK-PYTHON-BIKESHED-1537646', []],
  ['PH-12', []],
  ['', []],
])('%s is told of at its homes', (id, urls) => expect(idLinks(id).map(({ url }) => url)).toEqual(urls))
