import { stamp } from '../../db/time'

/** A source's time as we store it; sources that name no zone mean UTC. Throws on what is no time. */
export function utcStamp(text: string) {
  const zoned = /(Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : text.includes('T') ? `${text}Z` : `${text}T00:00:00Z`
  const date = new Date(zoned)
  if (Number.isNaN(date.getTime())) throw new Error(`Not a time: ${text}`)
  return stamp(date)
}
