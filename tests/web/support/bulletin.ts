import type { BulletinDetail, BulletinRow } from '../../../worker/kb/bulletins/contract'

export const aBulletin = (given: Partial<BulletinRow> = {}): BulletinRow => ({
  id: 5,
  publicid: 'ICSA-26-001-01',
  vendor: 'Acme & Sons',
  title: 'Acme Widget',
  severity: 'High',
  impact: 'An attacker could stop the widget.',
  published: '2026-11-10T06:00:00Z',
  monitored: false,
  ...given,
})

export const aDetail = (given: Partial<BulletinDetail['body']> = {}): BulletinDetail => ({
  ...aBulletin(),
  source: 'cisa',
  link: 'https://cert.example/ICSA-26-001-01',
  modified: '2026-11-11T06:00:00Z',
  vulns: [
    { cveid: 'CVE-2026-10001', id: 12, score: 81, is_score_provisional: true, state: 'published' },
    { cveid: 'CVE-2026-10002', id: null, score: null, is_score_provisional: false, state: null },
    { cveid: 'CVE-2026-10003', id: null, score: null, is_score_provisional: false, state: null },
  ],
  body: {
    category: 'csaf_security_advisory',
    publisher: 'CERT',
    status: 'final',
    version: '2',
    notes: [
      { category: 'summary', title: 'Risk evaluation', text: 'An attacker could stop the widget.' },
      { category: 'other', title: 'Critical infrastructure sectors', text: 'Energy' },
      { category: 'general', title: 'Recommended Practices', text: 'Keep it off the internet.' },
    ],
    products: [
      { vendor: 'Acme', product: 'Widget', version: '<2.0' },
      { vendor: 'Acme', product: 'Widget', version: '2.0' },
    ],
    products_count: 2,
    vulns: [
      {
        cveid: 'CVE-2026-10001',
        title: null,
        cwe_id: 'CWE-79',
        cvss: { version: 3, score: 7.5, vector: '' },
        impact: null,
        note: 'The widget can be stopped.',
        statuses: [
          { status: 'affected', products: [0], count: 1 },
          { status: 'fixed', products: [1], count: 7 },
        ],
        justifications: [],
        threats: [],
      },
      {
        cveid: 'CVE-2026-10002',
        title: null,
        cwe_id: null,
        cvss: null,
        impact: null,
        note: null,
        statuses: [{ status: 'not_affected', products: [0], count: 1 }],
        justifications: [{ label: 'vulnerable_code_not_present', products: [0], count: 1 }],
        threats: [{ category: 'exploit_status', details: 'In the catalogue of CISA', products: [], count: 0 }],
      },
    ],
    vulns_count: 3,
    remediations: [
      {
        category: 'mitigation',
        details: 'Use a firewall.',
        url: null,
        restart: null,
        cveids: ['CVE-2026-10001'],
        products: [],
        count: 0,
      },
      {
        category: 'vendor_fix',
        details: 'Update to 2.0.',
        url: 'https://acme.example/2.0',
        restart: 'machine',
        cveids: ['CVE-2026-10001'],
        products: [0],
        count: 1,
      },
    ],
    remediations_count: 4,
    acknowledgments: ['Jane Doe (Acme): reporting it'],
    references: [{ summary: 'Odd', url: 'javascript:alert(1)' }],
    ...given,
  },
})
