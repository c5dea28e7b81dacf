type Outcome = { status: string; reason?: string }

/** The worker refused; the message is its reason, or empty. */
export class Refusal extends Error {}

/** Some endpoints of the specification refuse with status 200; this turns a refusal into an error. */
export function requireAccepted<Answer extends Outcome>(answer: Answer): Answer {
  if (answer.status === 'error') throw new Refusal(answer.reason ?? '')
  return answer
}
