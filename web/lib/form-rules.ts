import { schemaResolver } from '@mantine/form'
import type * as z from 'zod'
import { ApiError } from './call'

export function formRules<Body extends z.ZodType>({ body }: { body?: Body }) {
  if (!body) throw new Error('This endpoint takes no body')
  return schemaResolver(body, { sync: true })
}

export function formErrors(error: Error) {
  const issues = error instanceof ApiError ? error.issues : []
  return Object.fromEntries(issues.map(({ path, message }) => [String(path[0]), message]))
}
