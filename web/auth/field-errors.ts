import { ApiError } from '../lib/call'

export function fieldErrors(error: Error) {
  const issues = error instanceof ApiError ? error.issues : []
  return Object.fromEntries(issues.map(({ path, message }) => [path.join('.'), message]))
}
