/** Whether a file of the app could not be loaded. */
export const isCodeLost = (error: unknown) => error instanceof Error && /import|module|preload/i.test(error.message)

export const lostCodeWords = 'A part of Earshot could not be loaded: there may be a newer version, or no connection.'
