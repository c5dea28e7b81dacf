import { expect } from 'vitest'

type Body = Record<string, unknown>
export type Encode = (body: Body) => { type: string; text: string }
// Tests know which fields are there.
type Answer = Record<string, unknown> & { profile?: Record<string, boolean> }

/** Writes booleans like Python, and a list as a repeated key. */
export const asForm: Encode = (body) => {
  const pairs = Object.entries(body).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((item): [string, string] => [
      name,
      typeof item === 'boolean' ? (item ? 'True' : 'False') : String(item),
    ]),
  )
  return { type: 'application/x-www-form-urlencoded', text: new URLSearchParams(pairs).toString() }
}
export const asJson: Encode = (body) => ({ type: 'application/json', text: JSON.stringify(body) })

export const clientStyles: [name: string, encode: Encode, change: 'GET' | 'POST'][] = [
  ['a client with forms, GET aliases and JWT', asForm, 'GET'],
  ['a client with JSON', asJson, 'POST'],
]

/** A client that keeps its header, like a session of Python's requests, and reads each answer as JSON. */
export function aClientSession(request: (path: string, init: RequestInit) => Promise<Response>, encode: Encode) {
  let authorization = ''
  async function ask(call: string, body?: Body) {
    const [method = '', path = ''] = call.split(' ')
    const sent = body && encode(body)
    const response = await request(path, {
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

type Walk = {
  session: ReturnType<typeof aClientSession>
  change: 'GET' | 'POST'
  username: string
  password: string
  org_id: number
  vuln_id: number
  /** A search and how many it finds. */
  search: { words: string; count: number }
}

/** A day of such a client, from sign-in to saved settings. */
export async function walkAsClient({ session, change, username, password, org_id, vuln_id, search }: Walk) {
  const { ask, authorize } = session
  const vuln = `/api/vulns/${vuln_id}`
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
  const found = await ask(
    `GET /api/vulns/?page=1&limit=10&search=${encodeURIComponent(search.words)}&score__gte=0&score__lte=100`,
  )
  expect(found).toMatchObject({ count: search.count, next: null })
  await ask(`PUT ${vuln}/toggle`, { monitored: true, vuln_id, organization_id: org_id })
  await ask(`POST ${vuln}/status/edit`, { status: 'in_progress' })
  const known = await ask(`GET ${vuln}/exploits`)
  const { id } = await ask(`POST ${vuln}/exploits/add`, {
    link: 'https://acme.example/poc',
    trust_level: 'high',
  })
  await ask(`POST ${vuln}/exploits/edit`, {
    id,
    link: 'https://acme.example/poc2',
    modified: '2020-01-01 10:00',
  })
  expect(await ask(`GET ${vuln}/exploits`)).toHaveLength(Number(known.length) + 1)
  expect(await ask(`GET ${vuln}/exploits/${id}/del`)).toBe('deleted')
  expect(await ask(`GET /api/ratings/calc/${vuln_id}`)).toMatchObject({ id: vuln_id, cvssV2adj: expect.any(Array) })

  expect(await ask('POST /users/profile/update', { first_name: 'Ada', last_name: 'L.' })).toEqual({
    status: 'success',
  })
  const { token } = await ask(`${change} /users/token/renew`, change === 'POST' ? {} : undefined)
  authorize(`Token ${token}`)
  expect(await ask('GET /users/profile')).toMatchObject({ first_name: 'Ada', auth_token: String(token).slice(0, 8) })
  expect(await ask(`GET ${vuln}/status`)).toBe('in_progress')
  await ask('POST /users/org/update', { org_id, enable_email_alert_new_vuln: false })
  expect(await ask(`GET /users/org/${org_id}/settings`)).toMatchObject({ enable_email_alert_new_vuln: false })
}
