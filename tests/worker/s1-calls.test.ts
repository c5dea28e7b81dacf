import { expect, test } from 'vitest'
import { inviteUsers } from '../../worker/orgs/members/contract'
import { aMember, tokenMailedTo } from './support/member'
import { anOrg } from './support/org'
import { withTotp } from './support/sign-in'
import { password } from '../support/credentials'

type Org = Awaited<ReturnType<typeof anOrg>>
type Given = { admin: Org; member: { user_id: number } }
type Form = Record<string, string>
type Row = [call: string, path: (given: Given) => string, form: Form | null, status: number, reply: unknown]

const page = { count: expect.any(Number), results: expect.any(Array) }
const success = { status: 'success' }
const strange = 'nobody@example.org'

// Each row of the specification's table of calls that concerns accounts, as its clients spell them: forms, and GET for what
// changes state.
const calls: Row[] = [
  [
    'POST obtain-token',
    () => '/api/public/jwt-auth/obtain-token/',
    { username: 'USER', password },
    200,
    { access: expect.any(String) },
  ],
  ['GET /users/activate/{token}', () => '/users/activate/unknown', null, 200, { status: 'invalid' }],
  ['POST /password_reset/', () => '/password_reset/', { email: strange }, 200, success],
  [
    'POST /password_reset/confirm/',
    () => '/password_reset/confirm/',
    { token: 'unknown', password: 'New-Horse-10!' },
    400,
    { code: 'link_invalid' },
  ],
  ['GET /users/set-org/{org_id}', ({ admin }) => `/users/set-org/${admin.org_id}`, null, 200, { status: 'set' }],
  ['GET /users/profile', () => '/users/profile', null, 200, { mfa_enabled: false, auth_token: null }],
  ['POST /users/profile/update', () => '/users/profile/update', { first_name: 'Ada', last_name: 'L.' }, 200, success],
  [
    'POST /users/profile/chpwd',
    () => '/users/profile/chpwd',
    { old_password: 'Wrong-Horse-9!', new_password1: 'New-Horse-10!', new_password2: 'New-Horse-10!' },
    400,
    { detail: 'Invalid Password' },
  ],
  ['POST users/profile/check_password', () => '/users/profile/check_password', { password }, 200, success],
  [
    'POST /users/profile/totp/verify_auth_totp',
    () => '/users/profile/totp/verify_auth_totp',
    { otp: '000000' },
    400,
    { detail: 'OTP Incorrect' },
  ],
  ['GET /users/token/renew', () => '/users/token/renew', null, 200, { token: expect.stringMatching(/^esh_/) }],
  ['GET /users/token/delete', () => '/users/token/delete', null, 200, success],
  [
    'GET /users/org/{org_id}/settings',
    ({ admin }) => `/users/org/${admin.org_id}/settings`,
    null,
    200,
    { alerts_emails_max: 3 },
  ],
  [
    'POST /users/org/update',
    () => '/users/org/update',
    { org_id: 'ORG', alerts_emails: 'a@example.org, b@example.org' },
    200,
    { alerts_emails: ['a@example.org', 'b@example.org'] },
  ],
  ['GET /api/orgs/', () => '/api/orgs/?limit=5&page=1&sorted_by=-name', null, 200, page],
  ['GET /api/org-users/', () => '/api/org-users/?limit=20&page=1&sorted_by=username', null, 200, page],
  ['GET /api/users/{id}', ({ member }) => `/api/users/${member.user_id}`, null, 200, { username: expect.any(String) }],
  [
    'GET /api/users/profile/{id}/renewpassword',
    ({ member }) => `/api/users/profile/${member.user_id}/renewpassword`,
    null,
    200,
    { status: 'success', password: null },
  ],
  [
    'POST /users/{org_id}/adduser',
    ({ admin }) => `/users/${admin.org_id}/adduser`,
    { emails: `${strange}, wrong` },
    201,
    { status: 'success', reason: expect.stringContaining('wrong') },
  ],
  [
    'GET /users/{org_id}/{user_id}/admin/enable',
    ({ admin, member }) => `/users/${admin.org_id}/${member.user_id}/admin/enable`,
    null,
    200,
    success,
  ],
  [
    'GET /users/{org_id}/{user_id}/admin/disable',
    ({ admin, member }) => `/users/${admin.org_id}/${member.user_id}/admin/disable`,
    null,
    200,
    { status: expect.any(String) },
  ],
  [
    'GET /users/{org_id}/delete/{user_id}',
    ({ admin, member }) => `/users/${admin.org_id}/delete/${member.user_id}`,
    null,
    200,
    success,
  ],
  ['POST /users/addorg', () => '/users/addorg', { name: 'Initech', is_active: 'True', email: strange }, 200, success],
  ['GET /users/{id}/disable', () => '/users/OTHER/disable', null, 200, success],
  ['GET /users/{id}/enable', () => '/users/OTHER/enable', null, 200, { status: expect.any(String) }],
  ['GET /users/{id}/remove', () => '/users/OTHER/remove', null, 200, success],
]

test.each(calls)('%s', async (_, path, form, status, reply) => {
  const admin = await anOrg({ is_admin: true, is_org_admin: true })
  const other = await anOrg({ world: admin.world })
  const member = await aMember(admin.world, admin.org_id)
  const spell = (text: string) =>
    text.replace('USER', admin.username).replace('ORG', `${admin.org_id}`).replace('OTHER', `${other.org_id}`)
  const filled = form && new URLSearchParams(Object.entries(form).map(([name, value]) => [name, spell(value)]))
  const response = await admin.world.request(spell(path({ admin, member })), {
    method: form ? 'POST' : 'GET',
    headers: { authorization: `JWT ${admin.access}` },
    ...(filled && { body: filled }),
  })
  expect([response.status, await response.json()]).toEqual([status, expect.objectContaining(reply)])
})

test('GET /users/profile/totp/create answers the QR code as SVG', async () => {
  const { world, access } = await anOrg()
  const response = await world.request('/users/profile/totp/create', { headers: { authorization: `JWT ${access}` } })
  expect([response.headers.get('content-type'), (await response.text()).slice(0, 4)]).toEqual(['image/svg+xml', '<svg'])
})

test('POST /users/profile/totp/login/{code}/ finishes a sign-in that answered a token', async () => {
  const org = await anOrg()
  await withTotp(org)
  const begin = await org.world.request('/api/public/jwt-auth/obtain-token/', {
    method: 'POST',
    body: new URLSearchParams({ username: org.username, password }),
  })
  const { token: eph_token } = (await begin.json()) as { token: string }
  const finish = await org.world.request('/users/profile/totp/login/000000/', {
    method: 'POST',
    body: new URLSearchParams({ eph_token }),
  })
  expect([begin.status, finish.status]).toEqual([200, 401])
})

test('POST /users/activate/{token} registers with the fields of the form', async () => {
  const org = await anOrg({ is_org_admin: true })
  await org.call(inviteUsers, { params: { org_id: org.org_id }, body: { emails: strange } })
  const token = await tokenMailedTo(org.world, strange)
  const fields = { username: 'nobody_else', password, password_confirm: password, first_name: 'No', last_name: 'Body' }
  const response = await org.world.request(`/users/activate/${token}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
  })
  expect([response.status, await response.json()]).toEqual([200, success])
})
