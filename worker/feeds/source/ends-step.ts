/**
 * Whether an error ends the step, whatever it was writing: another invocation holds the claim, does the work, and this one
 * has written nothing. Nothing is wrong with a record then.
 */
export const endsStep = (error: unknown) =>
  error instanceof Error && /NOT NULL constraint failed: feeds\.claim/.test(error.message)
