import { sql, type SQL } from 'drizzle-orm'
import { errorText } from './error-text'

/** Conditions read or allowed before a batch that must still hold when it is written. */
type Guarded =
  | 'admins'
  | 'alerts planned'
  | 'allowance'
  | 'cra told'
  | 'decisions'
  | 'documents told'
  | 'due days'
  | 'exposures'
  | 'feed claim'
  | 'global admins'
  | 'inventory'
  | 'knowledge base'
  | 'link'
  | 'newsletter'
  | 'quota'
  | 'route'
  | 'second factor'
  | 'support told'
  | 'trial'
  | 'watchlist'

const named = (guarded: Guarded) => `guard: ${guarded}`

/** A value that undoes the whole batch where it is asked for: it is no path within a JSON document, and SQLite says so by its name. */
export const abort = (guarded: Guarded) => sql`json_extract('{}', ${sql.raw(`'${named(guarded)}'`)})`

/** Undoes the batch unless `condition` holds. */
export const abortUnless = (condition: SQL, guarded: Guarded) =>
  sql`SELECT CASE WHEN ${condition} THEN 1 ELSE ${abort(guarded)} END`

/** Undoes the batch that it ends when more than `limit` were counted. */
export const refuseBeyond = (count: SQL, limit: number, guarded: Guarded = 'quota') =>
  abortUnless(sql`(${count}) <= ${limit}`, guarded)

export const isAborted = (error: unknown, guarded: Guarded) => errorText(error).includes(`'${named(guarded)}'`)

/** Catches the end of a batch: tells the refusal where its guard undid it. */
export const orRefuse = (guarded: Guarded, refusal: () => Error) => (error: unknown) => {
  throw isAborted(error, guarded) ? refusal() : error
}

/** Somebody else has a value of this table, index or column that only one may have. */
export function isTaken(error: unknown, ...places: string[]) {
  const [, failed] = errorText(error).split('UNIQUE constraint failed: ')
  return failed !== undefined && places.some((place) => failed.includes(place))
}

/** The owner of a row was removed. */
export const isOrphan = (error: unknown) => errorText(error).includes('FOREIGN KEY constraint failed')

/** Reads and writes again where somebody else wrote in between. */
export async function retryOvertaken<Result>(
  { attempts, isOvertaken }: { attempts: number; isOvertaken: (error: unknown) => boolean },
  readAndWrite: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++)
    try {
      return await readAndWrite()
    } catch (error) {
      if (!isOvertaken(error) || attempt === attempts) throw error
    }
}
