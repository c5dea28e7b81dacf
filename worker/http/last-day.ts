import { plusSeconds, stamp } from '../db/time'
import { Failure } from './errors'

/** The day before may still last where the caller is. */
const zoneSeconds = 86_400

/** What counts until a day that is over would count for nothing. */
export function requireLastDay(day: string | null | undefined, path: PropertyKey[], now: Date) {
  const message = 'The last day must not be over'
  if (day && day < stamp(plusSeconds(now, -zoneSeconds)).slice(0, 10))
    throw new Failure(400, 'invalid', message, { issues: [{ path, message }] })
}
