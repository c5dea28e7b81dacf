import { schemaResolver } from '@mantine/form'
import type { z } from 'zod'
import { ApiError } from './call'

/** The rules of a form are those of the endpoint that it is sent to. */
export function rulesOf<Body extends z.ZodType>({ body }: { body?: Body }) {
  if (!body) throw new Error('This endpoint takes no body')
  return schemaResolver(body, { sync: true })
}

/** What the worker said of each field. */
export function issuesOf(error: Error) {
  const issues = error instanceof ApiError ? error.issues : []
  return Object.fromEntries(issues.map(({ path, message }) => [String(path[0]), message]))
}
