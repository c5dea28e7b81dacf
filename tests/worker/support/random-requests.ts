import fc from 'fast-check'
import type { AnyEndpoint } from '../../../worker/http/endpoint'
import { hostileValues, likelyFields, type Fields, type RequestWords } from './from-schema'
import { known } from './known-world'
import type { Victim } from './victim'
import type { World } from './world'
import { password } from '../../support/credentials'

export type Sent = { params: Fields; query: Fields; body: unknown; as: 'json' | 'form' | 'cut' }

/** The material of requests that name what stands in an organization. */
export const pickWords = ({ org_id, target, ...victim }: Victim): RequestWords => ({
  named: {
    org_id,
    organization_id: org_id,
    user_id: target.user_id,
    eid: victim.exploit_id,
    tid: victim.threat_id,
    comment_id: victim.comment_id,
    cveid: known.cveid,
    year: 2024,
    email: 'someone@example.org',
    emails: 'someone@example.org, other@example.org',
    link: 'https://acme.example/poc',
    password,
    status: 'fixed',
  },
  ids: [1, 2, 3, org_id, target.user_id, victim.exploit_id, victim.threat_id, victim.comment_id, victim.token_id],
  texts: [
    known.cveid,
    known.vendor,
    known.product,
    known.package.name,
    'PH-1',
    'CWE-79',
    '1.5',
    'true',
    '2026-11-20',
    'someone@example.org',
    'https://acme.example/poc',
    'cvss3>=9 AND kev',
    'cpe:2.3:a:acme:widget:1.5:*:*:*:*:*:*:*',
    'pkg:npm/%40acme/widget@1.5.0',
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  ],
})

export const likelyRequest = ({ params, query, body }: AnyEndpoint, words: RequestWords): fc.Arbitrary<Sent> =>
  fc.record({
    params: likelyFields(params, words),
    query: likelyFields(query, words),
    body: likelyFields(body, words),
    as: fc.constant<Sent['as']>('json'),
  })

/** The same with one thing wrong: a field of another kind, one that is missing, or no fields at all. */
export const brokenRequest = (contract: AnyEndpoint, words: RequestWords): fc.Arbitrary<Sent> =>
  fc
    .record({
      sent: likelyRequest(contract, words),
      place: fc.constantFrom('params', 'query', 'body', 'body'),
      at: fc.nat(),
      value: fc.option(hostileValues, { nil: undefined }),
      isWhole: fc.integer({ min: 1, max: 5 }).map((one) => one === 1),
      as: fc.constantFrom<Sent['as']>('json', 'json', 'form', 'cut'),
    })
    .map(({ sent, place, at, value, isWhole, as }) => {
      if (place === 'body' && isWhole) return { ...sent, body: value, as }
      const fields = Object(place === 'body' ? sent.body : sent[place === 'query' ? 'query' : 'params']) as Fields
      const names = place === 'params' ? Object.keys(fields) : [...listFields(contract, place), ...Object.keys(fields)]
      const name = names[at % names.length]
      return name === undefined ? sent : { ...sent, as, [place]: { ...fields, [name]: value } }
    })

export const listFields = (contract: AnyEndpoint, place: string) => {
  const schema = place === 'query' ? contract.query : contract.body
  return schema && 'shape' in schema ? Object.keys(schema.shape as object) : []
}

const pickText = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
// A path part of dots would name another path.
export const pathPart = (value: unknown) => encodeURIComponent(pickText(value).toWellFormed()).replace(/^\.*$/, '-')

export async function sendRequest(
  world: World,
  contract: AnyEndpoint,
  { params, query, body, as }: Sent,
  authorization: string,
) {
  const path = contract.path.replace(/:(\w+)/g, (_, name: string) => pathPart(params[name]))
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, pickText(value)]])),
  )
  const asForm = () => new URLSearchParams(Object.entries(Object(body)).map(([name, value]) => [name, pickText(value)]))
  const written = as === 'form' ? asForm() : as === 'cut' ? pickText(body).slice(0, -1) : (JSON.stringify(body) ?? '')
  return world.request(`${path}?${search}`, {
    method: contract.method,
    headers: { authorization, ...(as !== 'form' && { 'content-type': 'application/json' }) },
    ...(contract.method !== 'GET' && { body: written }),
  })
}

/** Fault of an answer, or null. Some answers are files or partial rows, which no schema describes. */
export async function findFault(
  { path, reply, status: success = 200 }: AnyEndpoint,
  response: Response,
  isSparse: boolean,
) {
  const text = await response.text()
  const { status } = response
  // 502 reports a failure outside of Earshot.
  if (status >= 500 && !(status === 502 && path === '/users/org/sso')) return `${status} ${text.slice(0, 300)}`
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  if (status === success && (!isJson || isSparse)) return null
  if (!isJson) return `${status} is no JSON: ${text.slice(0, 100)}`
  const body: unknown = JSON.parse(text)
  if (status !== success) return isFailure(body) ? null : `${status} is not told as one: ${text.slice(0, 200)}`
  const parsed = reply.safeParse(body)
  return parsed.success ? null : `${status} breaks its schema: ${parsed.error.message.slice(0, 300)}`
}

const failureFields = ['code', 'message', 'detail']
export const isFailure = (body: unknown) =>
  failureFields.every((name) => typeof (Object(body) as Fields)[name] === 'string' && (Object(body) as Fields)[name])
