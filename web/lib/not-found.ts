import { ApiError } from './call'

/** A 404 also stands for rows of other organizations. */
export const isNotFound = (error: Error | null) =>
  error instanceof ApiError && (error.status === 404 || error.status === 400)

/** For parts of a page that show "not found" themselves. */
export const unlessNotFound = (failure: string) => (error: Error) => (isNotFound(error) ? undefined : failure)

/** For parts of the page of a vulnerability, which says itself that it cannot be read. */
export const partOfVuln = (id: number, failure: string) => ({
  failure: unlessNotFound(failure),
  told_by: ['vulns', 'detail', id],
})
