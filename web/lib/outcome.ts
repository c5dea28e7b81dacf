import { ApiError } from './call'

type Outcome = { status: string; reason?: string }

export class Refusal extends Error {}

/** The specification answers a refused invitation with 201; here that becomes an error. */
export function requireAccepted<Answer extends Outcome>(answer: Answer): Answer {
  if (answer.status === 'error') throw new Refusal(answer.reason ?? '')
  return answer
}

export const isWrongPassword = (error: Error) => error instanceof ApiError && error.code === 'wrong_password'
