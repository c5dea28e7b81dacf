/** Time is stored in UTC as YYYY-MM-DDTHH:MM:SSZ, which sorts as text. */
export const stamp = (date: Date) => `${date.toISOString().slice(0, 19)}Z`

export const plusSeconds = (date: Date, seconds: number) => new Date(date.getTime() + seconds * 1000)

/** Now, or a second after `before` if that is later: so two edits within a second are told apart. */
export const laterThan = (before: string | null, now: Date) =>
  before !== null && stamp(now) <= before ? plusSeconds(new Date(before), 1) : now
