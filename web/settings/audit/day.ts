const asStamp = (at: Date) => at.toISOString().replace(/\.\d+Z$/, 'Z')

/** Takes a day of the reader's calendar and answers in UTC. */
export const startOfDay = (day: string) => (day ? asStamp(new Date(`${day}T00:00:00`)) : undefined)

export const endOfDay = (day: string) => (day ? asStamp(new Date(`${day}T23:59:59`)) : undefined)
