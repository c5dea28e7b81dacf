import { DrizzleQueryError } from 'drizzle-orm'

/** Drizzle puts the query and its values before what the database says, and the values may be secrets: no log gets them. */
export const withoutQuery = (error: unknown): unknown => (error instanceof DrizzleQueryError ? error.cause : error)

/** Errors that pass by themselves, in D1's words; D1 has tried mere reads three times by then. */
export const isBusy = (error: unknown) =>
  /D1_ERROR.*(overloaded|reset|busy|locked|connection lost|transient|internal error)/i.test(errorText(error))

export function errorText(error: unknown) {
  const cause = withoutQuery(error)
  return cause instanceof Error ? cause.message : String(cause)
}

/** One line of JSON for the platform's log; `where` names the call, job or queue, and holds no secret. */
export function noteError(where: Record<string, unknown>, error: unknown) {
  const cause = withoutQuery(error)
  const stack = cause instanceof Error ? cause.stack?.slice(0, maxStack) : undefined
  const [at, text] = [new Date().toISOString(), errorText(error).slice(0, maxText)]
  console.error(JSON.stringify({ event: 'failed', at, ...where, error: text, stack }))
}
const [maxText, maxStack] = [1_000, 3_000]
