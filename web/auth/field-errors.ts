import { ApiError } from '../lib/call'

/** What the server says of each field, as a form shows it. */
export function fieldErrors(error: Error) {
  const issues = error instanceof ApiError ? error.issues : []
  return Object.fromEntries(issues.map(({ path, message }) => [path.join('.'), message]))
}
