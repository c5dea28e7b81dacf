import type { Bound } from './http/route'

type Feature = { paths: string[]; load: () => Promise<Bound[]> }

/**
 * Modules build their schemas when they are loaded, which must not delay the start of an isolate: a request loads the features whose paths
 * it may mean. A star is one segment. The first match wins: /api/users/set-org must not count as a user with that id.
 */
const features: Feature[] = [
  {
    paths: [
      '/api/public/jwt-auth',
      '/auth-jwt',
      '/users/logout',
      '/users/api/current',
      '/users/set-org',
      '/password_reset',
    ],
    load: async () => (await import('./auth/routes')).authRoutes,
  },
  {
    paths: ['/users/profile/totp', '/api/public/mfa', '/api/public/passkeys'],
    load: async () => (await import('./auth/second-factor/routes')).mfaRoutes,
  },
  { paths: ['/api/public/sso'], load: async () => (await import('./auth/sso/routes')).ssoRoutes },
  {
    paths: ['/users/sessions', '/users/tokens', '/users/token', '/users/passkeys', '/users/profile'],
    load: async () => (await import('./account/routes')).accountRoutes,
  },
  {
    paths: ['/users/invitations', '/users/*/invitations'],
    load: async () => (await import('./orgs/joining/joining-routes')).invitationRoutes,
  },
  {
    paths: ['/api/org-users', '/users'],
    load: async () => (await import('./orgs/members/routes')).memberRoutes,
  },
  {
    paths: [
      '/api/orgs',
      '/users/addorg',
      '/users/*/trial',
      '/users/*/enable',
      '/users/*/disable',
      '/users/*/remove',
      '/users/org',
      '/api/audit',
    ],
    load: async () => (await import('./orgs/routes')).orgRoutes,
  },
  {
    paths: ['/users/activate', '/api/public/trial', '/api/public/settings', '/api/public/email'],
    load: async () => (await import('./orgs/joining/joining-routes')).joiningRoutes,
  },
  {
    paths: ['/users/org/sso', '/users/*/sso'],
    load: async () => (await import('./orgs/sso/routes')).orgSsoRoutes,
  },
  { paths: ['/api/service'], load: async () => (await import('./objectives/routes')).serviceRoutes },
  { paths: ['/api/transfer'], load: async () => (await import('./transfer/routes')).transferRoutes },
  { paths: ['/api/backups'], load: async () => (await import('./backups/routes')).backupRoutes },
  {
    paths: ['/api/data', '/api/kb/*/async', '/api/vulns/refresh_scores', '/api/vulns/refresh_vulnerable_versions'],
    load: async () => (await import('./feeds/routes')).feedRoutes,
  },
  {
    paths: ['/api/vulns/add', '/api/vulns/edit', '/api/vulns/*/edit'],
    load: async () => (await import('./editing/routes')).editingRoutes,
  },
  {
    paths: ['/api/vulns/*/*', '/api/data/export'],
    load: async () => (await import('./triage/routes')).triageRoutes,
  },
  {
    paths: ['/api/decisions', '/api/vulns/*/decisions', '/api/vulns/*/accepting'],
    load: async () => (await import('./decisions/routes')).decisionRoutes,
  },
  { paths: ['/api/views'], load: async () => (await import('./views/routes')).viewRoutes },
  {
    paths: ['/api/search', '/api/search-corrected', '/api/search-target', '/api/search-version'],
    load: async () => (await import('./search/routes')).searchRoutes,
  },
  {
    paths: ['/api/vulns/stats', '/api/vulns/latest', '/api/vulns/news', '/api/vulns/desk', '/api/vulns/first-steps'],
    load: async () => (await import('./home/routes')).homeRoutes,
  },
  { paths: ['/api/vulns'], load: async () => (await import('./vulns/routes')).vulnRoutes },
  {
    paths: [
      '/api/vulns/*/exploits',
      '/api/vulns/*/threats',
      '/api/vulns/*/counter',
      '/api/data/submit',
      '/api/exploits',
      '/api/threats',
      '/api/org-exploits',
      '/api/org-threats',
    ],
    load: async () => (await import('./exploits/routes')).exploitRoutes,
  },
  { paths: ['/api/ratings'], load: async () => (await import('./ratings/routes')).ratingRoutes },
  { paths: ['/api/kb'], load: async () => (await import('./kb/routes')).kbRoutes },
  { paths: ['/api/kb/cwe'], load: async () => (await import('./taxonomy/routes')).taxonomyRoutes },
  { paths: ['/api/kb/packages'], load: async () => (await import('./packages/routes')).packageRoutes },
  { paths: ['/api/monitor'], load: async () => (await import('./monitoring/routes')).monitoringRoutes },
  {
    paths: ['/api/inventories', '/api/removed-inventories'],
    load: async () => (await import('./inventories/routes')).inventoryRoutes,
  },
  {
    paths: ['/api/alerts', '/api/reports', '/users/org', '/api/vulns/*/snooze'],
    load: async () => (await import('./alerts/routes')).alertRoutes,
  },
  {
    paths: ['/api/alerts/feeds', '/api/public/feeds'],
    load: async () => (await import('./atom/routes')).atomRoutes,
  },
  { paths: ['/api/cra'], load: async () => (await import('./cra/routes')).craRoutes },
  { paths: ['/api/alerts/newsletter'], load: async () => (await import('./newsletter/routes')).newsletterRoutes },
  {
    paths: [
      '/api/public/vulns',
      '/api/public/exploits',
      '/api/public/threats',
      '/api/public/status',
      '/api/public/census',
    ],
    load: async () => (await import('./public/routes')).publicRoutes,
  },
]

/** Pages for anybody, which no document lists. */
const pages: Feature = {
  paths: ['/public', '/conformance', '/census', '/status', '/sources', '/robots.txt', '/sitemap.xml', '/.well-known'],
  load: async () => (await import('./public/page-routes')).publicPages,
}

const split = (path: string) =>
  path
    .replace(/^\/api(?=\/users(?:\/|$))/, '')
    .split('/')
    .filter(Boolean)
const starts = [...features, pages].map((feature) => ({ feature, patterns: feature.paths.map(split) }))

/** The features that a path may mean, in their order. */
export function findFeatures(path: string) {
  const segments = split(path)
  const isBelow = (pattern: string[]) =>
    pattern.every((part, at) => (part === '*' ? at < segments.length : part === segments[at]))
  return starts.filter(({ patterns }) => patterns.some(isBelow)).map(({ feature }) => feature)
}

export const loadBound = async (wanted: Feature[]) => (await Promise.all(wanted.map(({ load }) => load()))).flat()

/** Everything that the API offers. */
export const loadApi = () => loadBound(features)
