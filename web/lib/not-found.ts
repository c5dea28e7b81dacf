import { ApiError } from './call'

/** It is not there, or belongs to somebody else: asking again would not help. */
export const isNotFound = (error: Error | null) =>
  error instanceof ApiError && (error.status === 404 || error.status === 400)
