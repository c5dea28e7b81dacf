import { plusSeconds, stamp } from '../db/time'
import { Failure } from './errors'

/** In the caller's time zone the day before may still last. */
const zoneSeconds = 86_400

/** Refuses a last day that is already over everywhere. */
export function requireLastDay(day: string | null | undefined, path: PropertyKey[], now: Date) {
  const message = 'The last day must not be over'
  if (day && day < stamp(plusSeconds(now, -zoneSeconds)).slice(0, 10))
    throw new Failure(400, 'invalid', message, { issues: [{ path, message }] })
}
