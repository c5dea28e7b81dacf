import { expect } from 'vitest'
import type { Exchange } from './client'
import { known } from './known-world'

const a = (row: object) => expect.objectContaining(row)
const some = (row: object) => expect.arrayContaining([a(row)])
const anything = (...names: string[]) => a(Object.fromEntries(names.map((name) => [name, expect.anything()])))
const page = (row: object) => a({ count: expect.any(Number), next: null, results: some(row) })
const noText = { cvss_vector: '', cvss3_vector: '', cvss4_vector: '', cwe_id: '' }
const publicExploit = { vuln_id: 1, cveid: known.cveid, source: 'exploitdb', scope: 'public', tlp_level: 'white' }
const link = 'https://acme.example/other'

const vulnNames =
  `id uuid cveid summary published modified cvss cvss_vector cvss3 cvss3_vector cvss4_vector cwe_id cwe_name
  cwe_refs access impact is_exploitable is_confirmed is_in_the_news is_in_the_wild exploit_count
  threat_activity_count cpe_count product_count score kev vulnerable_products vulnerable_product_versions
  products monitored monitored_by vulnerable_packages_versions reflinks created_at updated_at`.split(/\s+/)

/** Shapes that clients read: arrays where they loop, pages where they page, and texts where they expect texts. */
export const readingExchanges: Record<string, Exchange[]> = {
  'unknown texts are empty ones': [
    { call: 'GET /api/vulns/?search=CVE-2026-10002', reply: page({ id: 2, ...noText }) },
    { call: 'GET /api/vulns/2/', reply: a({ id: 2, ...noText, cwe_name: '' }) },
    {
      call: 'GET /api/vulns/?cveid=CVE-2026-10002&fields=id,cwe_name,cvss3_vector',
      reply: a({ results: [{ id: 2, cwe_name: '', cvss3_vector: '' }] }),
    },
    { call: 'GET /api/public/vulns/?search=CVE-2026-10002', reply: page({ id: 2, ...noText }) },
    { call: 'GET /api/public/vulns/2/', reply: a({ id: 2, ...noText, cwe_name: '' }) },
    {
      call: 'GET /api/kb/cve/CVE-2026-10002',
      reply: a({ cvss_vector: '', cvss3_vector: '', summary: expect.any(String) }),
    },
    { call: 'GET /api/kb/cve?cve_id=CVE-2026-10002', reply: page({ cvss_vector: '', cvss3_vector: '' }) },
    { call: 'GET /api/ratings/vector/2', reply: '' },
    { call: 'GET /api/ratings/calc/2', reply: a({ id: 2, vector: '', score: null }) },
  ],
  'public rows of a vulnerability are arrays, and pages where a page is asked for': [
    { call: 'GET /api/public/vulns/1/exploits', reply: [a(publicExploit)] },
    { call: 'GET /api/public/vulns/1/exploits?page=1', reply: page(publicExploit) },
    { call: 'GET /api/public/vulns/1/threats', reply: [a({ scope: 'public', is_in_the_wild: true })] },
    { call: 'GET /api/public/vulns/1/threats?page=2&limit=1', reply: a({ count: 1, next: null, results: [] }) },
    { call: 'GET /api/public/exploits/', as: 'stale', reply: page(publicExploit) },
    { call: 'GET /api/public/exploits/?search=nothing+of+the+kind', reply: a({ count: 0, next: null, results: [] }) },
    { call: `GET /api/public/exploits?cveid=${known.cveid}&limit=1`, reply: page(publicExploit) },
    { call: 'GET /api/public/threats/', as: 'stale', reply: page({ scope: 'public', is_in_the_wild: true }) },
    { call: 'GET /api/public/threats/?sorted_by=colour', status: 400, reply: a({ code: 'invalid' }) },
  ],
  'all data, for staff': [
    {
      call: 'GET /api/data/export/info',
      as: 'root',
      reply: { count: expect.any(Number), from: '2026-11-18T10:00:00Z', to: '2026-11-18T10:00:00Z' },
    },
    {
      call: 'GET /api/data/export/full?since=2026-11-18&to=2026-11-18&limit=1',
      as: 'root',
      reply: [
        {
          vulnerability: a({ id: 1, cveid: known.cveid }),
          exploits: [a(publicExploit)],
          threats: some({ vuln_id: 1 }),
        },
      ],
    },
    { call: 'GET /api/data/export/full?limit=1&page=2', as: 'root', reply: [a({ vulnerability: a({ id: 2 }) })] },
    { call: 'GET /api/data/export/full?since=2026-11-18T10:00:01Z', as: 'root', reply: [] },
    { call: 'GET /api/data/export/full?to=2026-11-17', as: 'root', reply: [] },
    { call: 'GET /api/data/export/full?since=yesterday', as: 'root', status: 400, reply: a({ code: 'invalid' }) },
    { call: 'GET /api/data/export/info', status: 403, reply: a({ code: 'forbidden' }) },
    { call: 'GET /api/data/export/full', as: 'member', status: 403, reply: a({ code: 'forbidden' }) },
  ],
  'an edit of nothing, and what an edit keeps': [
    { call: 'POST /api/vulns/edit', body: { id: '' }, reply: 'Not implemented.' },
    { call: 'POST /api/vulns/edit', body: { id: '', summary: '', cve_id: 'nonsense' }, reply: 'Not implemented.' },
    { call: 'POST /api/vulns/edit', body: { summary: 'Of what?' }, status: 400, reply: a({ code: 'invalid' }) },
    {
      call: 'POST /api/vulns/1/exploits/add',
      body: { link, source: 'mailing list' },
      reply: a({ source: 'mailing list', scope: 'private' }),
    },
    {
      call: 'POST /api/vulns/1/exploits/add',
      as: 'root',
      body: { link, source: 'mailing list', scope: 'public' },
      reply: a({ source: 'mailing list', scope: 'public', is_editable: true }),
    },
    {
      call: 'POST /api/vulns/1/threats/add',
      as: 'root',
      body: { link, source: 'a blog' },
      reply: a({ source: 'a blog', scope: 'private' }),
    },
    {
      call: 'POST /api/vulns/1/threats/add',
      as: 'root',
      body: { link: 'https://acme.example/public', source: 'a blog', scope: 'public' },
      reply: a({ source: 'a blog', scope: 'public', is_editable: true }),
    },
    {
      call: 'POST /api/vulns/1/exploits/add',
      body: { link, scope: 'public' },
      status: 403,
      reply: a({ code: 'forbidden' }),
    },
  ],
  'names that clients read': [
    {
      call: 'GET /api/vulns/1/',
      reply: anything(...vulnNames),
    },
    {
      call: 'GET /api/exploits/',
      reply: page({
        relevancy_level: expect.any(Number),
        trusted: 'high',
        availability: 'public',
        maturity: 'poc',
        type: 'exploitation',
        products: expect.any(Array),
        vp: expect.any(Array),
        ...publicExploit,
      }),
    },
    { call: 'GET /api/search/widget?limit=20', reply: some({ type: 'vuln', value: expect.anything() }) },
    {
      call: 'GET /api/ratings/calc/1',
      reply: a({ id: 1, vuln: 1, score_details: anything('vuln', 'threat', 'asset'), cvssv2adj: expect.any(Array) }),
    },
    { call: 'GET /api/vulns/1/cpes', reply: { cpes: expect.any(Array) } },
    { call: 'GET /api/vulns/1/orgvulnmetadata', reply: a({ comment: '', status: 'undefined' }) },
    { call: 'GET /api/vulns/1/history', reply: some({ scope: 'vuln', changes: expect.any(Array) }) },
    {
      call: 'GET /api/vulns/1/export/json',
      reply: anything('vulnerability', 'exploits', 'org_exploits', 'threats', 'org_threats'),
    },
    { call: 'GET /api/vulns/1/refresh_score', as: 'root', reply: expect.any(Number) },
    { call: 'GET /api/kb/vendors/', reply: page({ name: known.vendor, products_count: 1, vulns_count: 1 }) },
    { call: 'GET /api/kb/products/', reply: page({ name: known.product, vendor: known.vendor, vendor_id: 1 }) },
    { call: 'GET /api/kb/detailed-products/1/', reply: a({ versions: expect.any(Array), vulns_count: 1 }) },
    { call: 'GET /api/docs/swagger/?format=openapi', reply: a({ openapi: '3.1.0', paths: expect.any(Object) }) },
    { call: 'GET /api/docs/swagger?format=openapi', reply: a({ openapi: '3.1.0' }) },
  ],
}
