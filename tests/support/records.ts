/** A CVE as NVD sends it, with a vendor's product affected up to a version; `more` replaces fields. */
export function aCve(id: string, more: Record<string, unknown> = {}) {
  return {
    id,
    sourceIdentifier: 'cna@example.org',
    published: '2026-11-01T10:00:00.000',
    lastModified: '2026-11-18T10:00:00.000',
    vulnStatus: 'Analyzed',
    descriptions: [{ lang: 'en', value: `A flaw in Widget lets a visitor do what ${id} says.` }],
    metrics: toMetrics(9.8),
    weaknesses: [{ source: 'nvd@nist.gov', type: 'Primary', description: [{ lang: 'en', value: 'CWE-79' }] }],
    configurations: [
      {
        nodes: [
          { operator: 'OR', negate: false, cpeMatch: [aMatch('acme', 'widget', { versionEndExcluding: '2.0' })] },
        ],
      },
    ],
    references: [{ url: `https://acme.example/${id}`, source: 'cna@example.org', tags: ['Vendor Advisory'] }],
    ...more,
  }
}

export const aMetric = (
  version: string,
  baseScore: number,
  vectorString: string,
  source = 'nvd@nist.gov',
  type = 'Primary',
) => ({
  source,
  type,
  cvssData: { version, baseScore, vectorString },
})

const vectors = {
  4.3: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:U/C:N/I:L/A:N',
  5.3: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N',
  7.5: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  9.8: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  10: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H',
}
export type BaseScore = keyof typeof vectors

export const toMetrics = (score: BaseScore) => ({ cvssMetricV31: [aMetric('3.1', score, vectors[score])] })

export const aMatch = (vendor: string, product: string, more: Record<string, unknown> = {}) => ({
  vulnerable: true,
  criteria: `cpe:2.3:a:${vendor}:${product}:*:*:*:*:*:*:*:*`,
  matchCriteriaId: '00000000-0000-0000-0000-000000000000',
  ...more,
})

export const affecting = (...matches: unknown[]) => [{ nodes: [{ operator: 'OR', negate: false, cpeMatch: matches }] }]

export const aKevEntry = (cveID: string, more: Record<string, unknown> = {}) => ({
  cveID,
  vendorProject: 'Acme',
  product: 'Widget',
  vulnerabilityName: 'Acme Widget flaw',
  dateAdded: '2026-11-19',
  shortDescription: 'Widget is being attacked.',
  requiredAction: 'Update.',
  dueDate: '2026-12-10',
  knownRansomwareCampaignUse: 'Known',
  notes: '',
  cwes: ['CWE-79'],
  ...more,
})
