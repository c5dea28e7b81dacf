import type { Bound } from './http/route'

/** A module of a feature exports its routes alone. */
type Feature = { paths: string[]; load: () => Promise<Record<string, Bound[]>> }

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
    load: () => import('./auth/routes'),
  },
  {
    paths: ['/users/profile/totp', '/api/public/mfa', '/api/public/passkeys'],
    load: () => import('./auth/second-factor/routes'),
  },
  { paths: ['/api/public/sso'], load: () => import('./auth/sso/routes') },
  {
    paths: ['/users/sessions', '/users/tokens', '/users/token', '/users/passkeys', '/users/profile'],
    load: () => import('./account/routes'),
  },
  {
    paths: [
      '/users/invitations',
      '/users/*/invitations',
      '/users/activate',
      '/api/public/trial',
      '/api/public/settings',
      '/api/public/email',
    ],
    load: () => import('./orgs/joining/joining-routes'),
  },
  { paths: ['/api/org-users', '/users'], load: () => import('./orgs/members/routes') },
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
    load: () => import('./orgs/routes'),
  },
  { paths: ['/users/org/sso', '/users/*/sso'], load: () => import('./orgs/sso/routes') },
  { paths: ['/api/service'], load: () => import('./objectives/routes') },
  { paths: ['/api/transfer'], load: () => import('./transfer/routes') },
  { paths: ['/api/backups'], load: () => import('./backups/routes') },
  {
    paths: ['/api/data', '/api/kb/*/async', '/api/vulns/refresh_scores', '/api/vulns/refresh_vulnerable_versions'],
    load: () => import('./feeds/routes'),
  },
  { paths: ['/api/vulns/add', '/api/vulns/edit', '/api/vulns/*/edit'], load: () => import('./editing/routes') },
  { paths: ['/api/vulns/*/*', '/api/data/export'], load: () => import('./triage/routes') },
  {
    paths: ['/api/decisions', '/api/vulns/*/decisions', '/api/vulns/*/accepting'],
    load: () => import('./decisions/routes'),
  },
  { paths: ['/api/views'], load: () => import('./views/routes') },
  {
    paths: ['/api/search', '/api/search-corrected', '/api/search-target', '/api/search-version'],
    load: () => import('./search/routes'),
  },
  {
    paths: ['/api/vulns/stats', '/api/vulns/latest', '/api/vulns/news', '/api/vulns/desk', '/api/vulns/first-steps'],
    load: () => import('./home/routes'),
  },
  { paths: ['/api/vulns'], load: () => import('./vulns/routes') },
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
    load: () => import('./exploits/routes'),
  },
  { paths: ['/api/ratings'], load: () => import('./ratings/routes') },
  { paths: ['/api/kb'], load: () => import('./kb/routes') },
  { paths: ['/api/kb/cwe'], load: () => import('./taxonomy/routes') },
  { paths: ['/api/kb/packages'], load: () => import('./packages/routes') },
  { paths: ['/api/monitor'], load: () => import('./monitoring/routes') },
  { paths: ['/api/inventories', '/api/removed-inventories'], load: () => import('./inventories/routes') },
  {
    paths: ['/api/alerts', '/api/reports', '/users/org', '/api/vulns/*/snooze'],
    load: () => import('./alerts/routes'),
  },
  { paths: ['/api/alerts/feeds', '/api/public/feeds'], load: () => import('./atom/routes') },
  { paths: ['/api/cra'], load: () => import('./cra/routes') },
  { paths: ['/api/alerts/newsletter'], load: () => import('./newsletter/routes') },
  {
    paths: [
      '/api/public/vulns',
      '/api/public/exploits',
      '/api/public/threats',
      '/api/public/status',
      '/api/public/census',
    ],
    load: () => import('./public/routes'),
  },
]

/** Pages for anybody, which no document lists. */
const pages: Feature = {
  paths: ['/public', '/conformance', '/census', '/status', '/sources', '/robots.txt', '/sitemap.xml', '/.well-known'],
  load: () => import('./public/page-routes'),
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

export const loadBound = async (wanted: Feature[]) =>
  (await Promise.all(wanted.map(({ load }) => load()))).flatMap((routes) => Object.values(routes).flat())

/** Everything that the API offers. */
export const loadApi = () => loadBound(features)
