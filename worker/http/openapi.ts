import * as z from 'zod'
import type { AnyEndpoint, Schema } from './endpoint'
import { toExample } from './example'

type Json = Record<string, unknown>
type Method = AnyEndpoint['method']
/** One way to call an endpoint: GET may be an older spelling of a POST. */
type Way = { contract: AnyEndpoint; method: Method; isOld: boolean }

export function openapi(contracts: AnyEndpoint[], server: string, version: string) {
  const paths = new Map<string, Map<string, Json>>()
  for (const way of contracts.flatMap(toWays)) {
    // We serve paths with and without a slash at the end; the document names the one without.
    const path = way.contract.path.replace(/\/$/, '').replace(/:(\w+)/g, '{$1}')
    const operations = paths.get(path) ?? new Map<string, Json>()
    // If a POST also answers GET and another endpoint has a GET on that path, the document names the latter.
    if (!way.isOld || !operations.has('get')) operations.set(way.method.toLowerCase(), toOperation(way))
    paths.set(path, operations)
  }
  const tags = new Set(contracts.map(({ path }) => toTag(path)))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Earshot',
      version,
      description:
        'Vulnerability watch: knowledge base, monitoring and alerts. Answers carry `x-d1-bookmark`: send the newest one with your next call, and the nearest copy of the database answers it, with all that you have seen and written; without it each call goes to the one place that takes writes.',
      contact: { name: 'Earshot', url: server },
      license: { name: 'Proprietary', url: `${server}/help` },
    },
    servers: [{ url: server }],
    tags: [...tags].sort().map((name) => ({ name, description: `Calls below ${name}` })),
    components: {
      securitySchemes: {
        jwt: securityScheme('JWT eyJhbGciOi…: the access token of a signed-in person'),
        token: securityScheme('Token 4f3c…: an API token from the settings'),
      },
      schemas: { Failure: failureSchema },
      responses: Object.fromEntries(
        failures.map(({ status, name, example }) => [name, failureAnswer(status, example)]),
      ),
    },
    paths: Object.fromEntries([...paths].map(([path, operations]) => [path, Object.fromEntries(operations)])),
  }
}

const securityScheme = (description: string) => ({ type: 'apiKey', in: 'header', name: 'Authorization', description })

const toWays = (contract: AnyEndpoint): Way[] => [
  { contract, method: contract.method, isOld: false },
  ...(contract.alsoMethod ? [{ contract, method: contract.alsoMethod, isOld: false }] : []),
  ...(contract.alsoGet && contract.method !== 'GET' ? [{ contract, method: 'GET' as const, isOld: true }] : []),
]

const toTag = (path: string) => path.split('/').find((part) => part !== 'api' && part !== '') ?? 'api'

function toOperation({ contract, method, isOld }: Way) {
  const { path, access, summary, params, query, body, file, reply, status = 200, produces } = contract
  const hasBody = body && method !== 'GET'
  return {
    operationId: `${method.toLowerCase()}_${path.replace(/\W+/g, '_').replace(/^_|_$/g, '')}`,
    tags: [toTag(path)],
    summary,
    ...(isOld && { deprecated: true, description: `An older spelling of ${contract.method}.` }),
    security: access === 'public' ? [] : [{ jwt: [] }, { token: [] }],
    'x-access': access,
    parameters: [...toParameters(params, 'path'), ...toParameters(query, 'query')],
    ...(hasBody && { requestBody: toRequestBody(body) }),
    ...(file && {
      requestBody: { required: true, content: { '*/*': { schema: { type: 'string', format: 'binary' } } } },
    }),
    responses: {
      [status]: {
        description: 'Success',
        content: Object.fromEntries(
          [produces].flat().map((type = json) => [type, type === json ? toMedia(reply) : textMedia]),
        ),
      },
      ...toFailures(contract),
    },
  }
}

const json = 'application/json'
const textMedia = { schema: { type: 'string' } }

function toMedia(reply: z.ZodType) {
  const schema = toJsonSchema(reply, 'output')
  return { schema, example: toExample(schema) }
}

/** Each body is taken as JSON and as a form. */
function toRequestBody(body: z.ZodType) {
  const schema = toJsonSchema(body, 'input')
  const media = { schema, example: toExample(schema) }
  return {
    required: !body.safeParse({}).success,
    content: { 'application/json': media, 'application/x-www-form-urlencoded': media },
  }
}

function toParameters(schema: Schema, place: 'path' | 'query') {
  if (!schema) return []
  const { properties = {}, required = [] } = toJsonSchema(schema, 'input')
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }))
}

const failureSchema = {
  type: 'object',
  required: ['code', 'message', 'detail'],
  properties: {
    code: { type: 'string' },
    message: { type: 'string' },
    detail: { type: 'string', description: 'The message again, for older clients' },
    issues: {
      type: 'array',
      description: 'The fault of each wrong field',
      items: {
        type: 'object',
        properties: { path: { type: 'array', items: {} }, message: { type: 'string' } },
      },
    },
  },
}

type FailureName = 'Invalid' | 'Unauthenticated' | 'Forbidden' | 'NotFound' | 'Conflict' | 'Throttled'
const failures: { status: number; name: FailureName; example: { code: string; message: string } }[] = [
  { status: 400, name: 'Invalid', example: { code: 'invalid', message: 'limit: Must be a number' } },
  {
    status: 401,
    name: 'Unauthenticated',
    example: { code: 'token_not_valid', message: 'Token is invalid or expired' },
  },
  { status: 403, name: 'Forbidden', example: { code: 'forbidden', message: 'You are not allowed to do this' } },
  { status: 404, name: 'NotFound', example: { code: 'not_found', message: 'Vulnerability not found' } },
  { status: 409, name: 'Conflict', example: { code: 'conflict', message: 'Somebody else changed it meanwhile' } },
  { status: 429, name: 'Throttled', example: { code: 'throttled', message: 'Too many requests' } },
]

function failureAnswer(status: number, { code, message }: { code: string; message: string }) {
  return {
    description: `Failure ${status}`,
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Failure' },
        example: { code, message, detail: message },
      },
    },
  }
}

function toFailures({ method, access, params, query, body }: AnyEndpoint) {
  const isWrite = method !== 'GET'
  const canFail: Record<FailureName, boolean> = {
    Invalid: Boolean(params ?? query ?? body),
    Unauthenticated: access !== 'public',
    Forbidden: access !== 'public',
    NotFound: params !== undefined,
    Conflict: isWrite && body !== undefined,
    Throttled: true,
  }
  return Object.fromEntries(
    failures
      .filter(({ name }) => canFail[name])
      .map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]),
  )
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: withoutSafeBounds })
  return plain
}

/** Zod adds JavaScript's bounds to each integer; viewers would show them as examples. */
function withoutSafeBounds({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}
