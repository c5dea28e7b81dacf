import { isAborted } from '../../db/guard'

export class StepSpent extends Error {}

/** The step used up its queries, or another invocation took it over: no record is to blame. */
export const endsStep = (error: unknown) => error instanceof StepSpent || isAborted(error, 'feed claim')
