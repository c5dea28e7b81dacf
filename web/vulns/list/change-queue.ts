import type { BulkChange, Changed } from './inbox-api'

/** Decisions within this time after a write go with the next one; the first of a burst goes at once. */
const gather_ms = 1_500
const maxSteps = 50

export type QueuedChange = BulkChange & { made: Promise<Changed> }
type Waiting = { step: QueuedChange; settle: (outcome: Changed | Promise<never>) => void }
type Given = {
  /** One call for all changes; answers for each of them, in their order. */
  write: (changes: BulkChange[]) => Promise<(Changed | Error)[]>
  onMade: (steps: QueuedChange[]) => void
  onFailed: (steps: QueuedChange[], error: Error) => void
}
export type ChangeQueue = ReturnType<typeof newChangeQueue>

export function newChangeQueue({ write, onMade, onFailed }: Given) {
  let waiting: Waiting[] = []
  let isWriting = false
  let earliest = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const tell = (steps: Waiting[], outcomes: (Changed | Error)[]) => {
    const failed = new Map<QueuedChange, Error>()
    for (const [at, { step, settle }] of steps.entries()) {
      const outcome = outcomes[at] ?? new Error('There is no answer to this change')
      settle(outcome instanceof Error ? Promise.reject(outcome) : outcome)
      if (outcome instanceof Error) failed.set(step, outcome)
    }
    const [error] = failed.values()
    if (error) onFailed([...failed.keys()], error)
    onMade(steps.flatMap(({ step }) => (failed.has(step) ? [] : step)))
  }
  const flush = async () => {
    clearTimeout(timer)
    if (isWriting || waiting.length === 0) return
    isWriting = true
    const steps = waiting.splice(0, maxSteps)
    const outcomes = await write(steps.map(({ step }) => step)).catch((error: Error) => steps.map(() => error))
    isWriting = false
    earliest = Date.now() + gather_ms
    tell(steps, outcomes)
    plan()
  }
  const plan = () => {
    clearTimeout(timer)
    const wait = earliest - Date.now()
    if (wait > 0) timer = setTimeout(() => void flush(), wait)
    else void flush()
  }
  return {
    add(change: BulkChange): QueuedChange {
      const { promise: made, resolve: settle } = Promise.withResolvers<Changed>()
      const step = { ...change, made }
      // Its callers are told as well.
      made.catch(() => undefined)
      waiting.push({ step, settle })
      plan()
      return step
    },
    /** Whether the step had not been sent, and now never is. */
    drop(step: QueuedChange) {
      const before = waiting.length
      waiting = waiting.filter((one) => one.step !== step)
      return waiting.length < before
    },
    isIdle: () => !isWriting && waiting.length === 0,
    flush,
  }
}
