export const redhatVector = 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:H'
/** A CVE as Red Hat's API tells it. */
export const aRedhatCve = (name: string, more: Record<string, unknown> = {}) => ({
  name,
  threat_severity: 'Important',
  public_date: '2026-07-01T08:00:00Z',
  bugzilla: { description: 'widget: opens the door', id: '1', url: 'https://bugzilla.redhat.com/show_bug.cgi?id=1' },
  cvss3: { cvss3_base_score: '8.1', cvss3_scoring_vector: redhatVector, status: 'verified' },
  cwe: 'CWE-20->CWE-400',
  details: ['What the project says.', 'A flaw was found in Widget.'],
  references: ['https://www.cve.org/CVERecord?id=1\nhttps://acme.example/widget'],
  affected_release: [
    {
      product_name: 'Red Hat Enterprise Linux 9',
      release_date: '2026-07-03T00:00:00Z',
      advisory: 'RHSA-2026:4312',
      package: 'widget-0:8.7p1-38.el9_4.1',
      cpe: 'cpe:/a:redhat:enterprise_linux:9::appstream',
    },
  ],
  package_state: [
    {
      product_name: 'Red Hat Enterprise Linux 8',
      fix_state: 'Not affected',
      package_name: 'widget',
      cpe: 'cpe:/o:redhat:enterprise_linux:8',
    },
  ],
  csaw: false,
  ...more,
})
