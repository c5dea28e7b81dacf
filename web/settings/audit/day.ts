const asStamp = (at: Date) => at.toISOString().replace(/\.\d+Z$/, 'Z')

/** The moment a day of the reader's calendar begins, in UTC; none for no day. */
export const startOfDay = (day: string) => (day ? asStamp(new Date(`${day}T00:00:00`)) : undefined)

/** Its last second. */
export const endOfDay = (day: string) => (day ? asStamp(new Date(`${day}T23:59:59`)) : undefined)
