import { ApiError } from './call'

type Outcome = { status: string; reason?: string }

export class Refusal extends Error {}

/** An invitation of the specification is refused with status 201; this turns a refusal into an error. */
export function requireAccepted<Answer extends Outcome>(answer: Answer): Answer {
  if (answer.status === 'error') throw new Refusal(answer.reason ?? '')
  return answer
}

export const isWrongPassword = (error: Error) => error instanceof ApiError && error.code === 'wrong_password'
