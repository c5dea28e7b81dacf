import { expect } from 'vitest'
import type { Exchange } from './client'

const a = (row: object) => expect.objectContaining(row)
const page = (row: object) => a({ count: expect.any(Number), next: null, results: expect.arrayContaining([a(row)]) })
const emptyPage = a({ count: 0, next: null, results: [] })
const wrong = { password: 'Wrong-Horse-9!', old: 'Wrong-Horse-9!' }
const rights = { manage_organization: true, manage_alert_email: true, manage_alert_slack: true, manage_metadata: true }
const noRights = Object.fromEntries(Object.keys(rights).map((name) => [name, false]))
const everyField = {
  id: expect.any(Number),
  username: expect.any(String),
  first_name: expect.any(String),
  last_name: expect.any(String),
  email: expect.stringContaining('@'),
  last_login: null,
  is_superuser: false,
  is_admin: false,
  is_staff: false,
  is_active: true,
  is_authenticated: true,
  mfa_enabled: false,
}

/** Exchanges of clients of each style about accounts and organizations. */
export const accountExchanges: Record<string, Exchange[]> = {
  'public calls do without credentials that are over': [
    { call: 'GET /api/public/vulns/1/', as: 'stale', reply: a({ id: 1 }) },
    { call: 'GET /api/public/vulns/', as: 'stale', reply: page({ id: 1 }) },
    { call: 'POST /password_reset', as: 'stale', body: { email: 'x@example.org' }, reply: { status: 'success' } },
    { call: 'POST /password_reset/', as: 'stale', body: { email: 'x@example.org' }, reply: { status: 'success' } },
    { call: 'GET /users/activate/unknown', as: 'stale', reply: a({ status: 'invalid' }) },
    {
      call: 'POST /api/public/jwt-auth/refresh-token/',
      as: 'stale',
      body: {},
      status: 400,
      reply: a({ code: 'invalid' }),
    },
    {
      call: 'POST /auth-jwt/obtain_jwt_token/',
      as: 'stale',
      body: { username: 'nobody', password: wrong.password },
      status: 401,
      reply: a({ detail: 'Wrong username or password' }),
    },
    { call: 'GET /api/vulns/', as: 'stale', status: 401, reply: a({ code: 'token_not_valid' }) },
  ],
  'a true status': [
    {
      call: 'GET /users/{org_id}/{user_id}/admin/disable',
      status: 403,
      reply: a({ detail: 'Unable to disable the Organization admin.', status: 'error', reason: expect.any(String) }),
    },
    {
      call: 'GET /users/{org_id}/delete/{user_id}',
      status: 403,
      reply: a({ detail: 'A user cannot remove themselves from the org user list.', status: 'error' }),
    },
    { call: 'GET /users/{org_id}/{member_id}/admin/enable', reply: { status: 'success' } },
    {
      call: 'POST /users/addorg',
      as: 'root',
      body: { name: 'Initech', is_active: true, email: 'owner@example.org' },
      reply: { status: 'success', id: expect.any(Number) },
    },
    {
      call: 'POST /users/{org_id}/adduser',
      body: { emails: 'one@example.org, two@example.org; wrong' },
      status: 201,
      reply: { status: 'success', reason: 'Not a valid address: wrong' },
    },
    {
      call: 'POST /users/{org_id}/adduser',
      body: { emails: 'wrong' },
      status: 201,
      reply: { status: 'error', reason: 'Not a valid address: wrong' },
    },
  ],
  'user objects, with the true rights': [
    {
      call: 'GET /users/api/current',
      reply: {
        ...everyField,
        is_org_admin: true,
        auth_token: null,
        is_acting: false,
        orgs: expect.arrayContaining([{ id: expect.any(Number), name: expect.any(String), slug: expect.any(String) }]),
        current_org: { org_id: expect.any(Number), org_name: expect.any(String) },
        profile: rights,
      },
    },
    {
      call: 'GET /api/users/{member_id}',
      reply: {
        ...everyField,
        is_org_admin: false,
        auth_token: null,
        orgs: [a({ id: expect.any(Number) })],
        current_org: { org_id: expect.any(Number), org_name: expect.any(String) },
        profile: noRights,
      },
    },
    { call: 'GET /api/users/{user_id}', reply: a({ is_org_admin: true, profile: rights }) },
    { call: 'GET /api/users/{member_id}', as: 'member', reply: a({ ...everyField, profile: noRights }) },
    { call: 'GET /api/users/{user_id}', as: 'member', status: 404, reply: a({ code: 'not_found' }) },
    { call: 'GET /users/profile', reply: a({ auth_token: null, mfa_enabled: false, profile: rights }) },
    { call: 'POST /users/profile/update', body: { first_name: 'Ada', last_name: 'L.' }, reply: { status: 'success' } },
  ],
  'a user who administers nothing sees the empty list of it': [
    { call: 'GET /api/orgs/?limit=5&page=1&sorted_by=name', as: 'member', reply: emptyPage },
    { call: 'GET /api/org-users/?limit=20&page=1&sorted_by=username', as: 'member', reply: emptyPage },
    { call: 'GET /api/users/', as: 'member', reply: emptyPage },
    { call: 'GET /api/orgs/?sorted_by=-owner,name', reply: page({ nb_users: 2 }) },
    { call: 'GET /api/org-users/?sorted_by=username', reply: page({ is_admin: true }) },
    { call: 'GET /api/users/?sorted_by=username', reply: page({ ...everyField, profile: rights }) },
  ],
  'another organization': [
    ...[
      'PUT /api/vulns/1/toggle',
      'POST /api/vulns/1/toggle',
      'POST /api/monitor/vendor/toggle',
      'PUT /api/kb/vendor/1/',
    ].map((call): Exchange => ({
      call,
      body: ({ second_org_id }) => ({ vendor_id: 1, monitored: true, organization_id: second_org_id }),
      reply: 'toggled.',
    })),
    {
      call: 'POST /api/monitor/product/toggle',
      body: ({ second_org_id }) => ({
        vendor_name: 'acme',
        product_name: 'widget',
        monitored: true,
        organization_id: second_org_id,
      }),
      reply: 'toggled.',
    },
    {
      call: 'POST /users/org/update',
      body: ({ second_org_id }) => ({ org_id: second_org_id, enable_daily_email_report: true }),
      reply: a({ enable_daily_email_report: true }),
    },
    { call: 'GET /users/org/{second_org_id}/settings', reply: a({ enable_daily_email_report: false }) },
    { call: 'GET /users/set-org/{second_org_id}', reply: a({ status: 'set', org_id: expect.any(Number) }) },
    { call: 'GET /users/set-org', reply: a({ status: 'set' }) },
    { call: 'GET /users/set-org/{foreign_org_id}', status: 404, reply: a({ code: 'not_found' }) },
    {
      call: 'GET /users/org/{foreign_org_id}/settings',
      status: 403,
      reply: a({ code: 'forbidden' }),
    },
    ...['PUT /api/vulns/1/toggle', 'POST /api/monitor/vendor/toggle', 'PUT /api/kb/vendor/1/'].map(
      (call): Exchange => ({
        call,
        body: ({ foreign_org_id }) => ({ vendor_id: 1, monitored: true, organization_id: foreign_org_id }),
        status: 403,
        reply: a({ code: 'forbidden' }),
      }),
    ),
  ],
  synchronisation: [
    { call: 'GET /api/data/sync/run?model=cve', as: 'root', reply: { status: 'enqueued', feeds: [] } },
    { call: 'GET /api/data/sync/run?model=kb_bulletins', as: 'root', reply: { status: 'enqueued', feeds: [] } },
    { call: 'GET /api/data/sync/run?model=nonsense', as: 'root', status: 404, reply: a({ code: 'not_found' }) },
    { call: 'GET /api/data/sync/last', as: 'root', reply: {} },
    { call: 'GET /api/data/sync/last', status: 403, reply: a({ code: 'forbidden' }) },
  ],
  'history, oldest first': [
    {
      call: 'GET /api/vulns/1/history',
      reply: [
        {
          date: expect.any(String),
          reason: 'New vulnerability',
          changes: expect.any(Array),
          details: [{ field: 'created', label: 'First seen', from: null, to: null }],
          scope: 'vuln',
          source: 'nvd',
        },
        a({ scope: 'vuln', source: 'ghsa' }),
        a({ scope: 'vuln', source: 'kev' }),
        a({ scope: 'exploit', source: 'kev', changes: ['Exploitable: yes'] }),
        a({ scope: 'threat', source: 'kev' }),
        a({ scope: 'vuln', source: 'exploitdb' }),
        a({ scope: 'exploit', source: 'exploitdb', changes: ['Exploits: 1 added (Exploit-DB)'] }),
      ],
    },
  ],
}
