/** Time is stored in UTC as YYYY-MM-DDTHH:MM:SSZ, which sorts as text. */
export const stamp = (date: Date) => `${date.toISOString().slice(0, 19)}Z`

export const plusSeconds = (date: Date, seconds: number) => new Date(date.getTime() + seconds * 1000)
