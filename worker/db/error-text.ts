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
