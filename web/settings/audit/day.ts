const asStamp = (at: Date) => at.toISOString().replace(/\.\d+Z$/, 'Z')

/** `day` is of the reader's calendar, the answer is in UTC. */
export const startOfDay = (day: string) => (day ? asStamp(new Date(`${day}T00:00:00`)) : undefined)

export const endOfDay = (day: string) => (day ? asStamp(new Date(`${day}T23:59:59`)) : undefined)
