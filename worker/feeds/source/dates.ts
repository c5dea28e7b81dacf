import { stamp } from '../../db/time'

const [first, last] = [new Date('0000-01-01T00:00:00Z'), new Date('9999-12-31T23:59:59Z')]

/** A day that every month has, and a time of it, in UTC. */
const plainTime =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.\d{1,9})?Z?$/

/** A source's time as we store it; without a zone it is UTC. Throws if the text is no time with a year of four digits. */
export function utcStamp(text: string) {
  if (plainTime.test(text)) return `${text.slice(0, 19)}Z`
  const zoned = /(Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : text.includes('T') ? `${text}Z` : `${text}T00:00:00Z`
  const date = new Date(zoned)
  if (!(date >= first && date <= last)) throw new Error(`Not a time: ${text.slice(0, 40)}`)
  return stamp(date)
}
