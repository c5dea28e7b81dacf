export type Acceptance = { status: string; reason?: string }

export class Refusal extends Error {}

/** The specification answers a refused invitation with 201; here that becomes an error. */
export function requireAccepted<Answer extends Acceptance>(answer: Answer): Answer {
  if (answer.status === 'error') throw new Refusal(answer.reason ?? '')
  return answer
}
