type Outcome = { status: string; reason?: string }

/** Earshot answered, and said no; the message is its reason, empty where it gave none. */
export class Refusal extends Error {}

/** An answer that can say no with a status of 200: from here on it is a failure like any other. */
export function accepted<Answer extends Outcome>(answer: Answer): Answer {
  if (answer.status === 'error') throw new Refusal(answer.reason ?? '')
  return answer
}
