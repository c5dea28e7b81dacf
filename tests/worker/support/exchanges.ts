import { expect } from 'vitest'
import { known } from './known-world'
import type { Exchange } from './client'

const a = (row: object) => expect.objectContaining(row)
const some = (row: object) => expect.arrayContaining([a(row)])
const page = (row: object) => a({ count: expect.any(Number), next: null, results: some(row) })
const link = 'https://acme.example/other'
const vulnForm = { summary: 'Another flaw', cvss2_vector: 'AV:N/AC:L/Au:N/C:P/I:P/A:P' }

// It names a product without versions: all are affected.
const onlyOwn = a({ count: 1, results: [{ summary: 'A flaw of ours' }] })
const moreFields = {
  cwe_name: 'XSS',
  cwe_refs: { CAPEC: [], 'MITRE-ATTACK': [] },
  vulnerable_products: ['cpe:2.3:a:acme:widget:*:*:*:*:*:*:*:*', 'cpe:2.3:a:acme:widget:1.5:*:*:*:*:*:*:*'],
  vulnerable_product_versions: { acme: { widget: ['< 2.0', '1.5'] } },
  vulnerable_packages_versions: {
    npm: { '@acme/widget': [{ affected_versions: expect.stringMatching(/1\.0\.0/), patched_versions: '2.0.0' }] },
  },
  monitored_by: [{ via: 'vuln', id: 1, name: 'PH-1', vendor: null }],
  reflinks: ['https://acme.example/advisory'],
}

/** Exchanges that clients of each style have in common: `{exploit_id}` stands for what the scene holds. */
export const sharedExchanges: Record<string, Exchange[]> = {
  'plain shapes': [
    { call: 'GET /api/vulns/1/exploits', reply: some({ source: 'exploitdb', scope: 'public' }) },
    { call: 'GET /api/vulns/1/exploits?page=1&limit=1', reply: a({ count: 2, results: [expect.any(Object)] }) },
    { call: 'GET /api/vulns/1/threats', reply: some({ scope: 'private' }) },
    { call: 'GET /api/vulns/1/threats?page=2', reply: a({ count: 2, results: [] }) },
    { call: 'GET /api/vulns/1/comment', reply: '' },
    { call: 'GET /api/vulns/1/status', reply: 'undefined' },
    { call: 'GET /api/ratings/vector/1', reply: expect.stringMatching(/^AV:N\/AC:L/) },
    { call: 'POST /api/vulns/1/toggle', body: { monitored: true }, reply: 'toggled.' },
    { call: 'PUT /api/vulns/1/toggle', body: { monitored: true, vuln_id: 1 }, reply: 'toggled.' },
    { call: 'GET /api/vulns/1/exploits/{exploit_id}/del', reply: 'deleted' },
    { call: 'GET /api/vulns/1/threats/{threat_id}/del', reply: 'deleted' },
    { call: 'GET /api/kb/cwe?search=CWE-79', reply: page({ cwe_id: 'CWE-79', refs: expect.any(Object) }) },
    {
      call: 'GET /api/kb/packages/1/',
      reply: a({
        ...known.package,
        purl: 'pkg:npm/%40acme/widget',
        vulns_cnt: 1,
        vulns: some({ id: 1, cveid: known.cveid }),
        vulnerable_packages_versions: {
          npm: { '@acme/widget': [{ affected_versions: expect.stringMatching(/1\.0\.0/), patched_versions: '2.0.0' }] },
        },
      }),
    },
    { call: 'GET /api/kb/packages/?type=NPM', reply: page(known.package) },
    {
      call: 'GET /api/kb/packages/?name=@acme/widget',
      reply: page({
        ...known.package,
        vulns: [
          {
            id: 1,
            cveid: known.cveid,
            summary: expect.stringMatching(/^A flaw in Widget/),
            score: expect.any(Number),
            is_score_provisional: false,
            vulnerable_packages_versions: {
              npm: {
                '@acme/widget': [{ affected_versions: expect.stringMatching(/1\.0\.0/), patched_versions: '2.0.0' }],
              },
            },
          },
        ],
      }),
    },
    {
      call: 'GET /api/kb/packages/?type=pip&name=Gadget',
      reply: page({
        type: 'pip',
        name: 'gadget',
        purl: 'pkg:pypi/gadget',
        vulns: [a({ vulnerable_packages_versions: { pip: { gadget: [expect.any(Object)] } } })],
      }),
    },
    {
      call: 'GET /api/vulns/1/',
      reply: a({
        vulnerable_packages_versions: {
          npm: { '@acme/widget': [{ affected_versions: expect.any(String), patched_versions: '2.0.0' }] },
        },
      }),
    },
  ],
  '`modified` is data, and a guard has a field of its own': [
    {
      call: 'POST /api/vulns/1/exploits/edit',
      body: ({ exploit_id }) => ({
        id: exploit_id,
        link,
        source: 'mailing list',
        modified: '2026-11-19T08:00:00.123Z',
      }),
      reply: a({ link, source: 'mailing list', modified: '2026-11-19T08:00:00Z' }),
    },
    {
      call: 'POST /api/vulns/1/threats/edit',
      body: ({ threat_id }) => ({
        id: threat_id,
        link,
        source: 'blog',
        modified: '2026-11-19T08:00:00Z',
        maturity: '',
      }),
      reply: a({ link, source: 'blog', modified: '2026-11-19T08:00:00Z' }),
    },
    {
      call: 'POST /api/vulns/1/exploits/edit',
      body: ({ exploit_id }) => ({ id: exploit_id, link, version: '2020-01-01T00:00:00Z' }),
      status: 409,
      reply: a({ code: 'conflict' }),
    },
    {
      call: 'POST /api/vulns/1/exploits/edit',
      headers: { 'if-match': '"2020-01-01T00:00:00Z"' },
      body: ({ exploit_id }) => ({ id: exploit_id, link }),
      status: 409,
      reply: a({ code: 'conflict' }),
    },
    {
      call: 'POST /api/vulns/edit',
      headers: { 'if-match': 'W/"2020-01-01T00:00:00Z"' },
      body: ({ vuln_id }) => ({ ...vulnForm, id: vuln_id }),
      status: 409,
      reply: a({ code: 'conflict' }),
    },
    {
      call: 'POST /api/vulns/edit',
      body: ({ vuln_id }) => ({ ...vulnForm, id: vuln_id, modified: '2020-01-01T00:00:00Z' }),
      reply: a({ status: 'success' }),
    },
  ],
  bodies: [
    { call: 'POST /api/vulns/add', body: { ...vulnForm, products: 1 }, reply: a({ status: 'success' }) },
    { call: 'POST /api/vulns/add', body: { ...vulnForm, products: 'widget' }, reply: a({ status: 'success' }) },
    { call: 'POST /api/vulns/add', body: { ...vulnForm, products: ['acme:widget'] }, reply: a({ status: 'success' }) },
    {
      call: 'POST /api/vulns/add',
      body: { ...vulnForm, products: 'acme:unheard_of' },
      status: 400,
      reply: a({ code: 'invalid', detail: 'products: One of the products is not known' }),
    },
    {
      call: 'POST /api/vulns/status/bulk',
      body: { ids: 1, status: 'fixed' },
      reply: { status: 'fixed', set: [1], skipped: [], undo: expect.any(String) },
    },
    { call: 'PUT /api/kb/bulletins', body: { ids: 1, monitored: true }, reply: 'toggled.' },
  ],
  'sorting by several keys and by each column of a screen': [
    ...['link', 'updated_at', 'trust_level', 'tlp_level', 'availability', '-relevancy_level,link'].map((sorted_by) => ({
      call: `GET /api/exploits/?sorted_by=${sorted_by}`,
      reply: page({ source: 'exploitdb' }),
    })),
    ...['link', '-updated_at', '-trust_level,-id', 'tlp_level'].map((sorted_by) => ({
      call: `GET /api/threats/?sorted_by=${sorted_by}`,
      reply: page({ scope: 'private' }),
    })),
    ...['publicid', '-title', 'severity,-published'].map((sorted_by) => ({
      call: `GET /api/kb/bulletins?sorted_by=${sorted_by}`,
      reply: page({ publicid: known.bulletin }),
    })),
    ...['summary', '-summary,cve_id'].map((sorted_by) => ({
      call: `GET /api/kb/cve?sorted_by=${sorted_by}`,
      reply: page({ cve_id: known.cveid }),
    })),
    { call: 'GET /api/kb/products/?sorted_by=vendor__name,-name', reply: page({ name: known.product }) },
    { call: 'GET /api/exploits/?sorted_by=link,notes', status: 400, reply: a({ code: 'invalid' }) },
  ],
  'filters on CVEs': [
    { call: `GET /api/kb/cve?cve_id=${known.cveid.toLowerCase()}`, reply: page({ cve_id: known.cveid }) },
    { call: 'GET /api/kb/cve?summary__icontains=VISITOR', reply: page({ cve_id: known.cveid }) },
    { call: `GET /api/kb/cve?summary__icontains=rated&search=${known.cveid}`, reply: a({ count: 0 }) },
  ],
  'the ends of a scale bound nothing': [
    ...[
      'score__gte=0&score__lte=100',
      'score__gte=0',
      'cvss__gte=0&cvss__lte=10.0',
      'cvss3__gte=0.0&cvss3__lte=10',
      'epss__gte=0&epss__lte=1',
    ].map((bounds) => ({
      call: `GET /api/vulns/?page=1&limit=10&${bounds}`,
      reply: a({ count: 3, count_is_exact: true, results: some({ id: 2, score: null, cvss: null, epss: null }) }),
    })),
    { call: 'GET /api/vulns/?score__gte=1&score__lte=100', reply: a({ count: 1 }) },
    { call: 'GET /api/vulns/?score__gte=0&score__lte=99', reply: a({ count: 1 }) },
    { call: 'GET /api/public/vulns/?score__gte=0&score__lte=100', reply: a({ count: 2 }) },
    { call: 'GET /api/vulns/count?score__gte=0&score__lte=100', reply: a({ count: 3, count_is_exact: true }) },
  ],
  'filters and fields of the list of vulnerabilities': [
    { call: 'GET /api/vulns/?product_version=1.5', reply: page({ id: 1 }) },
    { call: 'GET /api/vulns/?product_version=7.7&fields=summary', reply: onlyOwn },
    { call: 'GET /api/vulns/?vendor_name=acme&product_version=1.5', reply: page({ id: 1 }) },
    { call: 'GET /api/vulns/?vendor_name=acme&product_version=2.0&fields=summary', reply: onlyOwn },
    ...['@acme/widget', 'widg', 'WIDGET', 'npm:@acme/widget'].map((name) => ({
      call: `GET /api/vulns/?package_name=${name}`,
      reply: page({ id: 1 }),
    })),
    { call: 'GET /api/vulns/?package_name__icontains=WIDG', reply: page({ id: 1 }) },
    { call: 'GET /api/vulns/?package_name=gizmo', reply: a({ count: 0 }) },
    { call: 'GET /api/vulns/??page=2&limit=1&search=flaw', reply: a({ count: 3, previous: expect.any(String) }) },
    {
      call: 'GET /api/vulns/?fields=id,cveid,nonsense&cveid=CVE-2026-10001',
      reply: a({ results: [{ id: 1, cveid: known.cveid }] }),
    },
    {
      call: `GET /api/vulns/?cveid=${known.cveid}&fields=${Object.keys(moreFields).join()}`,
      reply: a({ count: 1, results: [moreFields] }),
    },
    ...['-score,cveid', 'cvss,-published,id', '-monitored,-updated_at', '-is_exploitable,score', 'summary,-id'].map(
      (sorted_by) => ({ call: `GET /api/vulns/?sorted_by=${sorted_by}`, reply: page({ id: 1 }) }),
    ),
    { call: 'GET /api/vulns/?sorted_by=score,colour', status: 400, reply: a({ code: 'invalid' }) },
  ],
  'addresses below the lists': [
    { call: 'GET /api/exploits/?vuln_id=1', reply: a({ count: 2 }) },
    { call: 'GET /api/org-exploits/', reply: a({ count: 1, results: [a({ scope: 'private' })] }) },
    { call: 'GET /api/org-threats/', reply: a({ count: 1, results: [a({ scope: 'private' })] }) },
    { call: 'GET /api/exploits/{exploit_id}/', reply: a({ vuln_id: 1, scope: 'private' }) },
    { call: 'GET /api/threats/{threat_id}/', reply: a({ vuln_id: 1, scope: 'private' }) },
    { call: 'GET /api/exploits/999999/', status: 404, reply: a({ code: 'not_found' }) },
    { call: 'GET /api/kb/products/1/', reply: a({ id: 1, vendor: known.vendor, name: known.product }) },
    { call: 'GET /api/kb/cve/1/', reply: a({ cve_id: known.cveid }) },
    { call: `GET /api/kb/cve/${known.cveid}`, reply: a({ id: 1 }) },
    { call: 'GET /api/kb/cve/CVE-1999-0001', status: 404, reply: a({ code: 'not_found' }) },
    { call: 'GET /api/kb/vendors/acme/products', reply: page({ vendor: known.vendor, name: known.product }) },
    { call: 'GET /api/kb/vendors/nobody/products', status: 404, reply: a({ code: 'not_found' }) },
    {
      call: 'PUT /api/monitor/product/toggle',
      body: { vendor_name: known.vendor, product_name: known.product, monitored: true },
      reply: 'toggled.',
    },
    { call: 'PUT /api/monitor/vendor/toggle', body: { vendor_id: 1, monitored: true }, reply: 'toggled.' },
    {
      call: 'POST /api/monitor/package/toggle',
      body: { package_type: 'NPM', package_name: known.package.name, monitored: true },
      reply: 'toggled.',
    },
  ],
}
