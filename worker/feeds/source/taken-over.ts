/** Whether another invocation holds the claim: it does the work, and this one has written nothing. */
export const isTakenOver = (error: unknown) =>
  error instanceof Error && /NOT NULL constraint failed: feeds\.claim/.test(error.message)
