import { schemaResolver } from '@mantine/form'
import type * as z from 'zod'
import { ApiError } from './call'

export function formRules<Body extends z.ZodType>({ body }: { body?: Body }) {
  if (!body) throw new Error('This endpoint takes no body')
  return schemaResolver(body, { sync: true })
}

export function formErrors(error: Error) {
  if (!(error instanceof ApiError)) return {}
  const { code, message: password } = error
  // The worker names no field of these.
  if (code === 'wrong_password') return { password, old_password: password }
  return Object.fromEntries(error.issues.map(({ path, message }) => [String(path[0]), message]))
}
