import type { ProductRow } from '../../../worker/kb/contract'
import type { VulnRow } from '../../../worker/vulns/contract'

export const aVuln = (given: Partial<VulnRow> = {}): VulnRow => ({
  id: 12,
  uuid: '00000000-0000-4000-8000-000000000012',
  cveid: 'CVE-2026-10012',
  state: 'published',
  summary: 'OpenSSL mishandles a certificate.',
  published: '2026-11-01T10:00:00Z',
  modified: null,
  assigner: null,
  cvss: null,
  cvss_vector: null,
  cvss3: null,
  cvss3_vector: null,
  cvss4: null,
  cvss4_vector: null,
  cwe_id: null,
  access: { authentication: null, complexity: null, vector: null },
  impact: { confidentiality: null, integrity: null, availability: null },
  is_exploitable: false,
  is_confirmed: false,
  is_in_the_news: false,
  is_in_the_wild: false,
  exploit_count: 0,
  threat_activity_count: 0,
  cpe_count: 0,
  product_count: 0,
  score: null,
  epss: null,
  epss_percentile: null,
  kev: null,
  products: [],
  monitored: false,
  created_at: '2026-11-01T10:00:00Z',
  updated_at: '2026-11-20T06:30:00Z',
  ...given,
})

export const aProduct = (given: Partial<ProductRow> = {}): ProductRow => ({
  id: 7,
  name: 'nginx',
  vendor: 'f5',
  vendor_id: 3,
  monitored: false,
  vulns_count: 42,
  updated_at: '2026-11-18T06:30:00Z',
  ...given,
})

export const aPage = <Row>(results: Row[], given: { count?: number; count_is_exact?: boolean } = {}) => ({
  count: results.length,
  count_is_exact: true,
  next: null,
  previous: null,
  results,
  ...given,
})
