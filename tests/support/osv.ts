export const anAdvisory = (id: string, more: Record<string, unknown> = {}) => ({
  schema_version: '1.7.3',
  id,
  modified: '2026-11-18T10:00:00Z',
  published: '2026-11-01T10:00:00Z',
  aliases: ['CVE-2026-10001'],
  summary: 'Widget opens the door',
  details: 'Widget opens the door to anybody who knocks.',
  affected: [
    {
      package: { ecosystem: 'PyPI', name: 'Acme.Widget' },
      ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '2.1' }] }],
    },
  ],
  references: [{ type: 'WEB', url: 'https://acme.example/widget' }],
  ...more,
})

/** Versions of a package of npm, as an advisory names them. */
export const anAffected = (name: string, fixed = '9.0.0') => ({
  package: { ecosystem: 'npm', name },
  ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed }] }],
})
