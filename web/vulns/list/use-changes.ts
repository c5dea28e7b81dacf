import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { showError, showSuccess, showWarning } from '../../lib/notice'
import { plural } from '../../lib/format'
import { statusLabels } from '../../lib/status-labels'
import { showFailure } from '../../lib/query-client'
import { showUndo, undoShown_ms } from '../../ui/undo-notice'
import { changeMutation, undoMutation, type BulkChange, type Change, type Changed } from './inbox-api'

const words: Record<Change['kind'], string> = { status: 'Status changed', assign: 'Assigned', snooze: 'Snoozed' }

/** A change taken back stands in the history as well: it is passed over when earlier ones are taken back. */
const maxLater = 100

type Told = {
  onBack: (ids: number[]) => void
  onFailed: (ids: number[]) => void
  /** A write has been answered, or no longer is to be made. */
  onAnswer: (isIdle: boolean) => void
}

/** Every key press is a step, and each can be taken back from the moment of the press. */
export function useChanges(told: Told) {
  const { mutateAsync: write } = useMutation(changeMutation)
  const { mutateAsync: takeBack } = useMutation(undoMutation)
  const latest = useRef(told)
  useEffect(() => {
    latest.current = told
  })
  const steps = useRef<QueuedChange[]>([])
  const takenBack = useRef<string[]>([])
  const notice = useBurst()

  const remove = (removed: QueuedChange[]) => {
    steps.current = steps.current.filter((step) => !removed.includes(step))
    notice.remove(removed)
  }
  const undo = (wanted: QueuedChange[]) => {
    // The notice may outlive its steps.
    const undone = wanted.filter((step) => steps.current.includes(step))
    remove(undone)
    const sent = undone.filter((step) => !queue.drop(step))
    const [first] = undone
    const back = () => latest.current.onBack(undone.flatMap(({ ids }) => ids))
    if (!first) return undefined
    if (sent.length === 0) {
      back()
      latest.current.onAnswer(queue.isIdle())
      return showSuccess('Undone.')
    }
    const [made, ids] = [sent.map((step) => step.made), sent.flatMap((step) => step.ids)]
    return takeBack({ made, ids, later: takenBack.current.slice(-maxLater) }).then(async (undoing) => {
      const tokens = [...(await Promise.all(made)).map((change) => change.undo), undoing]
      takenBack.current.push(...tokens.filter((token) => token !== null))
      back()
    }, ignore)
  }
  const queue = useQueue(write, {
    made: (made) => {
      for (const step of made) void step.made.then(({ skipped }) => tellSkipped(skipped, step))
      notice.add(
        made.filter((step) => steps.current.includes(step)),
        (burst) => void undo(burst),
      )
      latest.current.onAnswer(queue.isIdle())
    },
    failed: (failed, error) => {
      remove(failed)
      showFailure(error, `Unable to change ${describeTargets(failed)}`)
      latest.current.onFailed(failed.flatMap(({ ids }) => ids))
    },
  })
  return {
    add: (change: BulkChange) => void steps.current.push(queue.add(change)),
    undo: () => {
      const last = steps.current.at(-1)
      if (last) void undo([last])
      else showWarning('Nothing to undo.')
    },
  }
}

type Hears = { made: (steps: QueuedChange[]) => void; failed: (steps: QueuedChange[], error: Error) => void }

/** Waiting changes are sent when the screen or the page is left. */
function useQueue(write: Parameters<typeof newChangeQueue>[0]['write'], hears: Hears): ChangeQueue {
  const latest = useRef(hears)
  useEffect(() => {
    latest.current = hears
  })
  const [queue] = useState(() =>
    newChangeQueue({
      write,
      onMade: (steps) => latest.current.made(steps),
      onFailed: (steps, error) => latest.current.failed(steps, error),
    }),
  )
  useEffect(() => {
    const flush = () => void queue.flush()
    window.addEventListener('pagehide', flush)
    return () => {
      window.removeEventListener('pagehide', flush)
      flush()
    }
  }, [queue])
  return queue
}

/** One notice, with one undo, for steps that follow each other while it is shown. */
function useBurst() {
  const burst = useRef<{
    steps: QueuedChange[]
    until: number
    undo: (steps: QueuedChange[]) => void
    hide: () => void
  }>(undefined)
  const show = (steps: QueuedChange[], undo: (steps: QueuedChange[]) => void) => {
    burst.current?.hide()
    if (steps.length === 0) return void (burst.current = undefined)
    const hide = showUndo(`${describeKinds(steps)}: ${describeTargets(steps)}`, () => undo(burst.current?.steps ?? []))
    burst.current = { steps, until: Date.now() + undoShown_ms, undo, hide }
  }
  return {
    add: (made: QueuedChange[], undo: (steps: QueuedChange[]) => void) => {
      if (made.length === 0) return
      const before = burst.current && burst.current.until > Date.now() ? burst.current.steps : []
      show([...before, ...made], undo)
    },
    remove: (removed: QueuedChange[]) => {
      const { steps, undo } = burst.current ?? {}
      if (steps?.some((step) => removed.includes(step)) && undo)
        show(
          steps.filter((step) => !removed.includes(step)),
          undo,
        )
    },
  }
}

function tellSkipped(skipped: number[], { ids }: QueuedChange) {
  if (skipped.length) showError(`${skipped.length} of ${ids.length} could not be changed`)
}

function describeTargets(steps: QueuedChange[]) {
  const [first] = steps
  if (first && steps.length === 1) return first.name
  return plural(new Set(steps.flatMap(({ ids }) => ids)).size, 'vulnerability', 'vulnerabilities')
}

function describeKinds(steps: QueuedChange[]) {
  const [first, ...others] = new Set(steps.map(({ change }) => describeKind(change)))
  if (first && others.length === 0) return first
  return steps.every(({ change }) => change.kind === 'status') ? words.status : 'Decided'
}

const describeKind = (change: Change) =>
  change.kind === 'status' && change.status !== 'undefined' ? statusLabels[change.status] : words[change.kind]

/** The failure of an undo has a notice of its own. */
const ignore = () => undefined

/** Decisions within this time after a write go with the next one; the first of a burst goes at once. */
const gather_ms = 1_500
const maxSteps = 50

type QueuedChange = BulkChange & { made: Promise<Changed> }
type Waiting = { step: QueuedChange; settle: (outcome: Changed | Promise<never>) => void }
type Given = {
  /** One call for all changes; answers for each of them, in their order. */
  write: (changes: BulkChange[]) => Promise<(Changed | Error)[]>
  onMade: (steps: QueuedChange[]) => void
  onFailed: (steps: QueuedChange[], error: Error) => void
}
type ChangeQueue = ReturnType<typeof newChangeQueue>

function newChangeQueue({ write, onMade, onFailed }: Given) {
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
      waiting = waiting.filter((change) => change.step !== step)
      return waiting.length < before
    },
    isIdle: () => !isWriting && waiting.length === 0,
    flush,
  }
}
