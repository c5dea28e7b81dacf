import { expect, test } from 'vitest'
import { loadApi } from '../../worker/features'
import { aWorld } from './support/world'

const contracts = (await loadApi()).map(({ contract }) => contract)

type Schema = { [name: string]: unknown; minimum?: number; maximum?: number }
type Media = { schema?: Schema; example?: unknown }
type Answer = { $ref?: string; description?: string; content?: Record<string, Media> }
type Operation = {
  operationId: string
  summary: string
  tags: string[]
  deprecated?: boolean
  security: Record<string, string[]>[]
  parameters: { name: string; in: string; required: boolean; schema: Schema }[]
  requestBody?: { required: boolean; content: Record<string, Media> }
  responses: Record<string, Answer>
}
type Document = {
  openapi: string
  info: { license: object; contact: object }
  tags: { name: string; description: string }[]
  components: { securitySchemes: Record<string, unknown>; responses: Record<string, Answer> }
  paths: Record<string, Record<string, Operation>>
}

const published = async () => (await (await aWorld().request('/api/docs/openapi.json')).json()) as Document
const spell = (path: string) => path.replace(/\/$/, '').replace(/:(\w+)/g, '{$1}')
const listOperations = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => ({ path, name: `${method} ${path}`, operation })),
  )

test('the document lists every contract, and each older spelling by GET as deprecated', async () => {
  const document = await published()
  expect(document.openapi).toBe('3.1.0')
  const find = (verb: string, path: string) => document.paths[spell(path)]?.[verb.toLowerCase()]
  const owned = new Set(contracts.map(({ method, path }) => `${method} ${spell(path)}`))
  for (const { method, path, alsoGet, alsoMethod, params } of contracts) {
    expect([path, find(method, path)?.operationId]).toEqual([path, expect.any(String)])
    if (alsoMethod) expect([path, find(alsoMethod, path)?.operationId]).toEqual([path, expect.any(String)])
    if (alsoGet && !owned.has(`GET ${spell(path)}`)) expect([path, find('GET', path)?.deprecated]).toEqual([path, true])
    if (params) expect([path, find(method, path)?.responses['404']]).toEqual([path, expect.any(Object)])
  }
  const ids = listOperations(document).map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  expect(listOperations(document).filter(({ operation }) => operation.deprecated).length).toBeGreaterThan(20)
})

test('the document has what a linter asks for', async () => {
  const document = await published()
  const wrong: string[] = []
  const tags = new Set(document.tags.map(({ name }) => name))
  const [schemes, answers] = [Object.keys(document.components.securitySchemes), document.components.responses]
  const shapes = new Map<string, string>()
  const used = new Set<string>()
  for (const { path, name, operation } of listOperations(document)) {
    const { parameters, responses } = operation
    const statuses = Object.keys(responses)
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, one]) => one).toSorted()
    const given = parameters.filter((one) => one.in === 'path')
    const shape = path.replace(/\{\w+\}/g, '{}')
    const isOpen = operation.security.length === 0
    const must: [boolean, string][] = [
      [operation.summary.length > 5 && !operation.summary.endsWith('.'), 'summary'],
      [operation.tags.every((tag) => tags.has(tag)), 'tag'],
      [operation.security.flatMap(Object.keys).every((scheme) => schemes.includes(scheme)), 'security'],
      [statuses.some((status) => status.startsWith('2')), '2xx'],
      [statuses.some((status) => status.startsWith('4')), '4xx'],
      [isOpen || '401' in responses, '401'],
      [JSON.stringify(given.map((one) => one.name).toSorted()) === JSON.stringify(named), 'path parameters'],
      [given.every(({ required }) => required), 'required path parameters'],
      [new Set(parameters.map((one) => `${one.in} ${one.name}`)).size === parameters.length, 'parameters once'],
      [!path.endsWith('/') && !path.includes('?'), 'path'],
      [(shapes.get(shape) ?? path) === path, 'a path that means another'],
    ]
    shapes.set(shape, path)
    for (const [isMet, what] of must) if (!isMet) wrong.push(`${name}: ${what}`)
    for (const { $ref, description } of Object.values(responses)) {
      if ($ref) used.add($ref.replace('#/components/responses/', ''))
      else if (!description) wrong.push(`${name}: an answer without description`)
    }
  }
  for (const answer of Object.keys(answers)) if (!used.has(answer)) wrong.push(`${answer} is not used`)
  for (const ref of used) if (!answers[ref]) wrong.push(`${ref} is not there`)
  for (const { name, description } of document.tags) if (!description) wrong.push(`tag ${name}`)
  expect(wrong).toEqual([])
  expect(document.info).toMatchObject({ license: expect.any(Object), contact: expect.any(Object) })
})

test('each body is named as JSON and as a form, and is required where something in it is', async () => {
  const { paths } = await published()
  const wrong: string[] = []
  for (const { method, path, body, file } of contracts) {
    const { requestBody } = paths[spell(path)]?.[method.toLowerCase()] ?? {}
    if (!body && !file && requestBody) wrong.push(`${method} ${path} has a body that it does not read`)
    if (!body || method === 'GET') continue
    const media = Object.keys(requestBody?.content ?? {})
    if (media.join() !== 'application/json,application/x-www-form-urlencoded')
      wrong.push(`${method} ${path}: ${media.join()}`)
    const isNeeded = !body.safeParse({}).success
    if (requestBody?.required !== isNeeded) wrong.push(`${method} ${path}: required should be ${isNeeded}`)
  }
  expect(wrong).toEqual([])
})

test('each example is one that the API takes, or gives', async () => {
  const { paths } = await published()
  const wrong: string[] = []
  for (const { method, path, body, reply, produces, status = 200 } of contracts) {
    const { requestBody, responses } = paths[spell(path)]?.[method.toLowerCase()] ?? {}
    const sent = requestBody?.content['application/json']?.example
    if (body && method !== 'GET' && requestBody?.required) {
      const { success, error } = body.safeParse(sent)
      if (!success) wrong.push(`${method} ${path} refuses ${JSON.stringify(sent)}: ${JSON.stringify(error.issues[0])}`)
    }
    if (produces) continue
    const answered = responses?.[status]?.content?.['application/json']?.example
    const { success, error } = reply.safeParse(answered)
    if (!success) wrong.push(`${method} ${path} answers: ${JSON.stringify(error.issues[0])}`)
  }
  expect(wrong).toEqual([])
})

test('no bound is that of a number in JavaScript, and counts are at least none', async () => {
  const document = await published()
  const text = JSON.stringify(document)
  expect(text).not.toContain(String(Number.MAX_SAFE_INTEGER))
  const [media] = Object.values(document.paths['/api/vulns']?.['get']?.responses['200']?.content ?? {})
  expect(media?.schema).toMatchObject({ properties: { count: { type: 'integer', minimum: 0 } } })
  expect(media?.example).toMatchObject({ count: 0, next: null })
})

test('a reply that is no JSON says what it is', async () => {
  const { paths } = await published()
  const types = (path: string) => Object.keys(paths[path]?.['get']?.responses['200']?.content ?? {})
  expect(types('/users/profile/totp/create')).toEqual(['image/svg+xml'])
  expect(types('/api/monitor/export/{kind}')).toEqual(['text/csv', 'application/json'])
  expect(types('/api/public/feeds/{token}/atom')).toEqual(['application/atom+xml'])
})

/** The places of a reply in which a score stands without a word on whether it stands in for a rating. */
function findUnmarked(schema: unknown, place: string): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties } = schema as { properties?: Record<string, unknown> }
  const names = Object.keys(properties ?? {})
  const scored = names.filter((name) => /^(?:worst_)?score$/.test(name))
  // Beside a vector it is a rating or that of CVSS.
  const isMarked = names.some((name) => name === 'vector' || /^is_\w+_provisional$/.test(name))
  return [
    ...(isMarked ? [] : scored.map((name) => `${place}.${name}`)),
    ...Object.entries(schema).flatMap(([name, part]) => findUnmarked(part, `${place}.${name}`)),
  ]
}

test('wherever the API answers with a score, it says whether it is provisional', async () => {
  const answers = listOperations(await published()).flatMap(({ name, operation }) =>
    Object.values(operation.responses).map((answer) => ({ name, answer })),
  )
  const unmarked = answers.flatMap(({ name, answer }) => findUnmarked(answer, '').map(() => name))
  expect(answers.length).toBeGreaterThan(200)
  expect(unmarked).toEqual([])
})
