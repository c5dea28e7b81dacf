type Given = {
  id?: string
  title?: string
  modified?: string
  tlp?: string | null
  vendor?: string
  document?: Record<string, unknown>
  vulnerabilities?: unknown[]
  product_tree?: unknown
}

/** A CSAF 2.0 advisory of an authority about one product of a vendor. */
export function aCsaf({
  id = 'ACSA-26-001',
  title = 'Acme Widget',
  tlp = 'WHITE',
  vendor = 'Acme',
  ...given
}: Given = {}) {
  const modified = given.modified ?? '2026-11-10T06:00:00.000000Z'
  return {
    document: {
      category: 'csaf_security_advisory',
      csaf_version: '2.0',
      publisher: { category: 'coordinator', name: 'CERT', namespace: 'https://www.cert.example/' },
      title,
      lang: 'en',
      ...(tlp && { distribution: { tlp: { label: tlp } } }),
      tracking: {
        id,
        status: 'final',
        version: '1',
        initial_release_date: '2026-11-01T06:00:00.000000Z',
        current_release_date: modified,
        revision_history: [],
      },
      notes: [
        { category: 'legal_disclaimer', title: 'Legal Notice', text: 'As is.' },
        { category: 'summary', title: 'Risk evaluation', text: 'An attacker could stop the widget.' },
        { category: 'general', title: 'Recommended Practices', text: 'Keep it off the internet.' },
        { category: 'general', title: 'Recommended Practices', text: 'Use a VPN.' },
      ],
      references: [
        { category: 'self', summary: 'JSON', url: `https://cert.example/${id}.json` },
        { category: 'self', summary: 'Web', url: `https://cert.example/${id}` },
        { category: 'external', summary: 'Vendor', url: 'https://acme.example/advisory' },
        { category: 'external', summary: 'Odd', url: 'javascript:alert(1)' },
      ],
      ...given.document,
    },
    product_tree: given.product_tree ?? {
      branches: [
        {
          category: 'vendor',
          name: vendor,
          branches: [
            {
              category: 'product_name',
              name: 'Widget',
              branches: [
                {
                  category: 'product_version_range',
                  name: '<2.0',
                  product: { product_id: 'P1', name: 'Acme Widget <2.0' },
                },
                { category: 'product_version', name: '2.0', product: { product_id: 'P2', name: 'Acme Widget 2.0' } },
              ],
            },
          ],
        },
      ],
    },
    vulnerabilities: given.vulnerabilities ?? [aCsafVuln()],
  }
}

export const aCsafVuln = (cve = 'CVE-2026-10001', more: Record<string, unknown> = {}) => ({
  cve,
  cwe: { id: 'CWE-79', name: 'Cross-site Scripting' },
  notes: [{ category: 'summary', title: 'Summary', text: `What ${cve} does.` }],
  product_status: { known_affected: ['P1'], fixed: ['P2'] },
  scores: [
    { cvss_v3: { baseScore: 7.5, vectorString: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H' }, products: ['P1'] },
  ],
  remediations: [
    { category: 'vendor_fix', details: 'Update to 2.0', product_ids: ['P1'], url: 'https://acme.example/2.0' },
  ],
  ...more,
})
