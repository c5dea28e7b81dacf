import { errorText } from '../../db/error-text'

export class StepSpent extends Error {}

/** The step used up its queries, or another invocation took it over: no record is to blame. */
export const endsStep = (error: unknown) => error instanceof StepSpent || isTakenOver(error)

const isTakenOver = (error: unknown) => /NOT NULL constraint failed: feeds\.claim/.test(errorText(error))
