/** A reason not to start that the user can act on: shown as one line, without a stack. */
export class StartFailure extends Error {}

export const describeError = (error: unknown) => (error instanceof Error ? error.message : String(error))
