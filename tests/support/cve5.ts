type Entry = Record<string, unknown>

/** A record of the CVE list as its CNA sends it; `cna` replaces fields of the CNA's container. */
export function aCve5(cveId: string, cna: Entry = {}, adp: Entry[] = [aCisaAdp()]) {
  return {
    dataType: 'CVE_RECORD',
    dataVersion: '5.1',
    cveMetadata: {
      cveId,
      state: 'PUBLISHED',
      assignerOrgId: '00000000-0000-4000-9000-000000000000',
      assignerShortName: 'acme',
      datePublished: '2026-11-01T10:00:00.000Z',
      dateUpdated: '2026-11-18T10:00:00.000Z',
    },
    containers: {
      cna: {
        providerMetadata: { orgId: '00000000-0000-4000-9000-000000000000', shortName: 'acme' },
        descriptions: [{ lang: 'en', value: `A flaw in Widget lets a visitor do what ${cveId} says.` }],
        affected: [anEntry('Acme Inc.', 'Widget', aRange('0', '2.0'))],
        references: [{ url: `https://acme.example/${cveId}`, tags: ['vendor-advisory'] }],
        ...cna,
      },
      ...(adp.length && { adp }),
    },
  }
}

/** CISA's additions to a record: its categorization of the vulnerability, and more. */
export const aCisaAdp = (more: Entry = {}) => ({
  title: 'CISA ADP Vulnrichment',
  providerMetadata: { orgId: '134c704f-9b21-4f2e-91b3-4a467353bcc0', shortName: 'CISA-ADP' },
  metrics: [aDecision()],
  ...more,
})

export const aDecision = (exploitation = 'poc', automatable = 'yes', impact = 'total') => ({
  other: {
    type: 'ssvc',
    content: {
      id: 'CVE-2026-0001',
      role: 'CISA Coordinator',
      options: [{ Exploitation: exploitation }, { Automatable: automatable }, { 'Technical Impact': impact }],
      version: '2.0.3',
    },
  },
})

export const anEntry = (vendor: string, product: string, version: Entry, more: Entry = {}) => ({
  vendor,
  product,
  versions: [version],
  ...more,
})

export const aRange = (version: string, lessThan: string, versionType = 'custom') => ({
  version,
  status: 'affected',
  lessThan,
  versionType,
})

/** Path of a record in the CVE list: `cves/2024/3xxx/CVE-2024-3094.json`. */
export const cvePath = (cveId: string) => {
  const [, year = '', number = ''] = cveId.split('-')
  return `cves/${year}/${number.slice(0, -3)}xxx/${cveId}.json`
}
