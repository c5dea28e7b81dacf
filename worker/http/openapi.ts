import { z } from 'zod'
import type { AnyEndpoint, Schema } from './endpoint'

const failure = {
  description: 'Failure',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        properties: { code: { type: 'string' }, message: { type: 'string' }, detail: { type: 'string' } },
      },
    },
  },
}

/** The OpenAPI 3.1 document of the given endpoints. */
export function openapi(contracts: AnyEndpoint[], server: string) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const contract of contracts) {
    const path = contract.path.replace(/:(\w+)/g, '{$1}')
    const operations = (paths[path] ??= {})
    operations[contract.method.toLowerCase()] = operation(contract)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Earshot',
      version: '1.3.0',
      description: 'Vulnerability watch: knowledge base, monitoring and alerts.',
    },
    servers: [{ url: server }],
    components: { securitySchemes: { jwt: { type: 'apiKey', in: 'header', name: 'Authorization' } } },
    paths,
  }
}

function operation({ method, path, access, summary, params, query, body, reply, status = 200 }: AnyEndpoint) {
  return {
    operationId: `${method.toLowerCase()}_${path.replace(/\W+/g, '_').replace(/^_|_$/g, '')}`,
    tags: [path.split('/').filter((part) => part !== 'api' && part !== '')[0] ?? 'api'],
    summary,
    security: access === 'public' ? [] : [{ jwt: [] }],
    'x-access': access,
    parameters: [...parameters(params, 'path'), ...parameters(query, 'query')],
    ...(body && { requestBody: { content: { 'application/json': { schema: jsonSchema(body, 'input') } } } }),
    responses: {
      [status]: { description: 'Success', content: { 'application/json': { schema: jsonSchema(reply, 'output') } } },
      default: failure,
    },
  }
}

function parameters(schema: Schema, place: 'path' | 'query') {
  if (!schema) return []
  const { properties = {}, required = [] } = jsonSchema(schema, 'input')
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }))
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}
