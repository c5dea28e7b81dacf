import { ApiError } from './call'

/** A 404 also stands for rows of other organizations. */
export const isNotFound = (error: Error | null) =>
  error instanceof ApiError && (error.status === 404 || error.status === 400)

/** For parts of a page that show "not found" themselves. */
export const unlessNotFound = (failure: string) => (error: Error) => (isNotFound(error) ? undefined : failure)
