import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** Answer of an API to a call that its document lists. */
export type JudgedAnswer = { path: string; method: string; status: number; type: string; body: unknown }
export type AnswersToJudge = { document: Document; answers: JudgedAnswer[] }

type Schema = Record<string, unknown>
type Response = { $ref?: string; content?: Record<string, { schema?: Schema }> }
type Document = {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>
  components: { responses: Record<string, Response>; schemas: Record<string, Schema> }
}

/** Compiles schemas, which workerd does not: a POST of a document and answers is told what is wrong with each. */
export async function startOpenapiJudge() {
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { document, answers } = JSON.parse(Buffer.concat(parts).toString()) as AnswersToJudge
      response.end(JSON.stringify(judge(document, answers)))
    })
  })
  // As of receivers.
  server.keepAliveTimeout = 3_600_000
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  server.unref()
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

function judge({ paths, components }: Document, answers: JudgedAnswer[]) {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  const resolve = (found: Response | undefined) =>
    found?.$ref ? components.responses[found.$ref.replace('#/components/responses/', '')] : found
  const validators = new Map<Schema, ReturnType<typeof ajv.compile>>()
  const compile = (schema: Schema) => {
    const known = validators.get(schema) ?? ajv.compile({ ...schema, components: { schemas: components.schemas } })
    validators.set(schema, known)
    return known
  }
  return answers.flatMap(({ path, method, status, type, body }) => {
    const about = `${method} ${path} ${status}`
    const told = resolve(paths[path]?.[method.toLowerCase()]?.responses[status])
    if (!told) return [`${about} is not in the document`]
    const media = told.content?.[type]
    if (!media) return [`${about} is ${type}, not ${Object.keys(told.content ?? {}).join()}`]
    if (type !== 'application/json') return []
    const validate = compile(media.schema ?? {})
    return validate(body) ? [] : [`${about}: ${ajv.errorsText(validate.errors).slice(0, 300)}`]
  })
}
