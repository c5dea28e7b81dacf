import { aPage } from './rows'

export const aUser = (given: object = {}) => ({
  id: 1,
  username: 'analyst',
  first_name: '',
  last_name: '',
  email: 'analyst@acme.example',
  last_login: null,
  is_superuser: false,
  is_admin: false,
  is_staff: false,
  is_active: true,
  is_authenticated: true,
  is_org_admin: true,
  is_acting: false,
  mfa_enabled: false,
  auth_token: null,
  orgs: [{ id: 1, name: 'Acme', slug: 'acme' }],
  current_org: { org_id: 1, org_name: 'Acme' },
  profile: { manage_organization: true, manage_alert_email: true, manage_alert_slack: true, manage_metadata: true },
  ...given,
})

export const tokens = { access: 'a', refresh: 'r' }
export const refusedWith = (status: number, code: string, message: string) => ({ status, body: { code, message } })

/** Answers after every successful sign-in. */
export const entering = {
  'POST /users/set-org': () => ({ body: { status: 'set', org_id: 1, org_name: 'Acme' } }),
  'GET /users/api/current': () => ({ body: aUser() }),
}

/** Nothing is open, and nothing changed. */
export const noDesk = {
  since: null,
  exploited: 0,
  affecting: 0,
  overdue: 0,
  overdue_is_exact: true,
  matching_count: 0,
  comparing_count: 0,
  due: [],
  changed: 0,
  changed_is_exact: true,
  worst: [],
  kev: [],
  changes: [],
  days: [],
}

/** Answers to the home page and the layout around it. */
export const atHome = {
  'GET /api/vulns/stats': () => ({
    body: {
      vulns: 0,
      vulns_exploitable: 0,
      vulns_remote: 0,
      exploits: 0,
      threats: 0,
      monitored: 0,
      monitored_vendors: 0,
      monitored_products: 0,
      monitored_vulns: 0,
      monitored_inventories: 0,
    },
  }),
  'GET /api/vulns/latest': () => ({
    body: { vulns: [], exploits: [], monitored_vulns: [], last_monitored: null },
  }),
  'GET /api/vulns/first-steps': () => ({ body: { steps: [] } }),
  'GET /api/vulns/desk': () => ({ body: noDesk }),
  'GET /api/vulns/news': () => ({ body: { kev: [], due: [], rises: [], exploits: [], exploits_looked_at: null } }),
  'GET /api/data/sync/info': () => ({ body: { feeds: [] } }),
  'GET /api/monitor/groups': () => ({ body: [] }),
  'GET /users/org/info': () => ({
    body: { org_id: 1, org_name: 'Acme', slug: 'acme', is_read_only: false, trial_ends_at: null },
  }),
  'GET /api/kb/products/': () => ({ body: aPage([]) }),
}
