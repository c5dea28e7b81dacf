export class StepSpent extends Error {}

/** A spent step, or a claim that another invocation took over: nothing is wrong with a record then. */
export const endsStep = (error: unknown) => error instanceof StepSpent || isTakenOver(error)

const isTakenOver = (error: unknown) =>
  error instanceof Error && /NOT NULL constraint failed: feeds\.claim/.test(error.message)
