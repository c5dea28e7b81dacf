import { beforeEach, expect, test } from 'vitest'
import { asForm, asJson } from './support/client'
import { aKnownWorld } from './support/known-world'
import { anOrg, password } from './support/org'
import type { World } from './support/world'

let world: World
beforeEach(async () => {
  world = await aKnownWorld()
})

type Encode = typeof asForm
type Body = Record<string, unknown>
// Tests read what they know to be there.
type Answer = Record<string, unknown> & { profile?: Record<string, boolean> }

/** A client that keeps its header, as one session of a library does, and reads each answer as JSON. */
function aSession(encode: Encode) {
  let authorization = ''
  async function ask(call: string, body?: Body) {
    const [method = '', path = ''] = call.split(' ')
    const sent = body && encode(body)
    const response = await world.request(path, {
      method,
      headers: { ...(authorization && { authorization }), ...(sent && { 'content-type': sent.type }) },
      ...(sent && { body: sent.text }),
    })
    const answer = (await response.json()) as Answer
    if (response.status >= 300) throw new Error(`${call} answered ${response.status}: ${JSON.stringify(answer)}`)
    return answer
  }
  return { ask, authorize: (value: string) => (authorization = value) }
}

const styles: [name: string, encode: Encode, change: 'GET' | 'POST'][] = [
  ['a client with forms, GET aliases and JWT', asForm, 'GET'],
  ['a client with JSON', asJson, 'POST'],
]

test.each(styles)(
  '%s signs in, stays, searches, edits, rates and saves its settings',
  async (_, encode, change) => {
    const { username, org_id } = await anOrg({ world, is_org_admin: true })
    const { ask, authorize } = aSession(encode)
    const first = await ask('POST /auth-jwt/obtain_jwt_token/', { username, password })
    authorize('JWT an.old.one')
    const { access } = await ask('POST /auth-jwt/refresh_jwt_token/', { refresh: first.refresh })
    await ask('POST /auth-jwt/verify/', { token: access })
    authorize(`JWT ${access}`)

    expect(await ask(`${change} /users/set-org`, change === 'POST' ? {} : undefined)).toMatchObject({
      status: 'set',
      org_id,
    })
    expect(await ask('GET /users/api/current')).toMatchObject({ username, current_org: { org_id } })
    await ask('GET /api/vulns/stats')
    await ask('GET /api/vulns/latest?timedelta=30')
    const found = await ask('GET /api/vulns/?page=1&limit=10&search=flaw&score__gte=0&score__lte=100')
    expect(found).toMatchObject({ count: 2, next: null })
    await ask('PUT /api/vulns/1/toggle', { monitored: true, vuln_id: 1, organization_id: org_id })
    await ask('POST /api/vulns/1/status/edit', { status: 'in_progress' })
    const { id } = await ask('POST /api/vulns/1/exploits/add', {
      link: 'https://acme.example/poc',
      trust_level: 'high',
    })
    await ask('POST /api/vulns/1/exploits/edit', {
      id,
      link: 'https://acme.example/poc2',
      modified: '2020-01-01 10:00',
    })
    expect(await ask('GET /api/vulns/1/exploits')).toHaveLength(2)
    expect(await ask(`GET /api/vulns/1/exploits/${id}/del`)).toBe('deleted')
    expect(await ask('GET /api/ratings/calc/1')).toMatchObject({ id: 1, cvssV2adj: expect.any(Array) })

    expect(await ask('POST /users/profile/update', { first_name: 'Ada', last_name: 'L.' })).toEqual({
      status: 'success',
    })
    const { token } = await ask(`${change} /users/token/renew`, change === 'POST' ? {} : undefined)
    authorize(`Token ${token}`)
    expect(await ask('GET /users/profile')).toMatchObject({ first_name: 'Ada', auth_token: String(token).slice(0, 8) })
    expect(await ask('GET /api/vulns/1/status')).toBe('in_progress')
    await ask('POST /users/org/update', { org_id, enable_email_alert_new_vuln: false })
    expect(await ask(`GET /users/org/${org_id}/settings`)).toMatchObject({ enable_email_alert_new_vuln: false })
  },
  20_000,
)

test.each(styles)(
  '%s that reads and saves each settings form twice changes nothing',
  async (_, encode) => {
    const { username, user_id, org_id, access } = await anOrg({
      world,
      is_org_admin: true,
      emails: ['alerts@example.org'],
    })
    const { ask, authorize } = aSession(encode)
    authorize(`JWT ${access}`)
    const readAll = async () => ({
      settings: await ask(`GET /users/org/${org_id}/settings`),
      profile: await ask('GET /users/profile'),
      user: await ask(`GET /api/users/${user_id}`),
    })
    await ask('POST /users/profile/update', { first_name: 'Ada', last_name: 'Lovelace' })
    const before = await readAll()
    expect(before.user).toMatchObject({ username, first_name: 'Ada' })
    for (let time = 0; time < 2; time++) {
      const { settings, profile, user } = await readAll()
      // A form sends an object as its JSON.
      const flat = Object.entries(settings).map(([name, value]: [string, unknown]) => {
        const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
        return [name, isObject && encode === asForm ? JSON.stringify(value) : value]
      })
      expect(await ask('POST /users/org/update', Object.fromEntries(flat) as Body)).toEqual(before.settings)
      const { first_name, last_name } = profile
      await ask('POST /users/profile/update', { first_name, last_name })
      const { manage_organization, manage_alert_email, manage_metadata } = user.profile ?? {}
      const rights = { manage_organization, manage_alert_email, manage_metadata }
      expect(await ask(`PUT /api/users/${user_id}`, { first_name, last_name, ...rights })).toEqual(before.user)
    }
    expect(await readAll()).toEqual(before)
  },
  20_000,
)
