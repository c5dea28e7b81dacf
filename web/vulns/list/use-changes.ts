import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { showError, showSuccess, showWarning } from '../../lib/notice'
import { plural } from '../../lib/format'
import { statusLabels } from '../../lib/status-labels'
import { showFailure } from '../../lib/query-client'
import { showUndo, undoShown_ms } from '../../ui/undo-notice'
import { changeMutation, undoMutation, type BulkChange, type Change, type Changed } from './inbox-api'

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
  const [changes] = useState(() => newChanges({ write, takeBack, told: () => latest.current }))
  // Waiting steps are sent when the screen or the page is left.
  useEffect(() => {
    const flush = () => void changes.flush()
    window.addEventListener('pagehide', flush)
    return () => {
      window.removeEventListener('pagehide', flush)
      flush()
    }
  }, [changes])
  return changes
}

/** A change taken back stands in the history as well: it is passed over when earlier ones are taken back. */
const maxLater = 100

/** Answered by nothing where it failed. */
type Step = BulkChange & { made: Promise<Changed | undefined>; settle: (outcome: Changed | undefined) => void }
type Given = {
  write: Write
  takeBack: (undone: { made: Step['made'][]; ids: number[]; later: string[] }) => Promise<string[]>
  told: () => Told
}

function newChanges({ write, takeBack, told }: Given) {
  /** Those that can be taken back. */
  let steps: Step[] = []
  let later: string[] = []

  const forget = (gone: Step[]) => {
    steps = steps.filter((step) => !gone.includes(step))
    notice.remove(gone)
  }
  const undo = (undone: Step[]) => {
    // A notice that fades may be pressed again.
    if (undone.length === 0) return
    forget(undone)
    const ids = listIds(undone)
    const sent = undone.filter((step) => !queue.drop(step))
    if (sent.length === 0) {
      told().onBack(ids)
      told().onAnswer(queue.isIdle())
      showSuccess('Undone.')
      return
    }
    void takeBack({ made: sent.map(({ made }) => made), ids: listIds(sent), later }).then(
      (tokens) => {
        later = [...later, ...tokens].slice(-maxLater)
        told().onBack(ids)
      },
      // Has a notice of its own.
      () => undefined,
    )
  }
  const notice = newNotice(undo)
  const queue = newQueue(write, (sent, failures) => {
    const [error] = failures.values()
    if (error) {
      const failed = [...failures.keys()]
      forget(failed)
      showFailure(error, `Unable to change ${describeTargets(failed)}`)
      told().onFailed(listIds(failed))
    }
    notice.add(sent.filter((step) => steps.includes(step)))
    told().onAnswer(queue.isIdle())
  })
  return {
    flush: queue.flush,
    add: (change: BulkChange) => void steps.push(queue.add(change)),
    undo: () => {
      const last = steps.at(-1)
      if (last) undo([last])
      else showWarning('Nothing to undo.')
    },
  }
}

/** One notice, with one undo, for steps that follow each other while it is shown. */
function newNotice(undo: (steps: Step[]) => void) {
  let shown: Step[] = []
  let until = 0
  let hide = () => {}
  const show = (steps: Step[]) => {
    hide()
    shown = steps
    until = Date.now() + undoShown_ms
    if (steps.length > 0) hide = showUndo(`${describeKinds(steps)}: ${describeTargets(steps)}`, () => undo(shown))
  }
  return {
    add: (made: Step[]) => {
      if (made.length > 0) show([...(until > Date.now() ? shown : []), ...made])
    },
    remove: (gone: Step[]) => {
      const left = shown.filter((step) => !gone.includes(step))
      if (left.length < shown.length) show(left)
    },
  }
}

/** Steps within this time after a write go with the next one; the first of a burst goes at once. */
const gather_ms = 1_500
const maxSteps = 50

/** One call for all changes; answers for each of them, in their order. */
type Write = (changes: BulkChange[]) => Promise<(Changed | Error)[]>

function newQueue(write: Write, hear: (sent: Step[], failures: Map<Step, Error>) => void) {
  let waiting: Step[] = []
  let isWriting = false
  let earliest = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const flush = async () => {
    clearTimeout(timer)
    if (isWriting || waiting.length === 0) return
    isWriting = true
    const sent = waiting.splice(0, maxSteps)
    const outcomes = await write(sent).catch((error: Error) => sent.map(() => error))
    isWriting = false
    earliest = Date.now() + gather_ms
    const failures = new Map<Step, Error>()
    for (const [at, step] of sent.entries()) {
      const outcome = outcomes[at] ?? new Error('There is no answer to this change')
      if (outcome instanceof Error) failures.set(step, outcome)
      else if (outcome.skipped.length > 0)
        showError(`${outcome.skipped.length} of ${step.ids.length} could not be changed`)
      step.settle(outcome instanceof Error ? undefined : outcome)
    }
    hear(sent, failures)
    plan()
  }
  const plan = () => {
    clearTimeout(timer)
    const wait = earliest - Date.now()
    if (wait > 0) timer = setTimeout(() => void flush(), wait)
    else void flush()
  }
  return {
    add(change: BulkChange): Step {
      const { promise: made, resolve: settle } = Promise.withResolvers<Changed | undefined>()
      const step = { ...change, made, settle }
      waiting.push(step)
      plan()
      return step
    },
    /** Whether the step had not been sent, and now never is. */
    drop(step: Step) {
      const before = waiting.length
      waiting = waiting.filter((other) => other !== step)
      return waiting.length < before
    },
    isIdle: () => !isWriting && waiting.length === 0,
    flush,
  }
}

const listIds = (steps: Step[]) => steps.flatMap(({ ids }) => ids)

function describeTargets(steps: Step[]) {
  const [first] = steps
  if (first && steps.length === 1) return first.name
  return plural(new Set(listIds(steps)).size, 'vulnerability', 'vulnerabilities')
}

const words: Record<Change['kind'], string> = { status: 'Status changed', assign: 'Assigned', snooze: 'Snoozed' }

function describeKinds(steps: Step[]) {
  const [first, ...others] = new Set(steps.map(({ change }) => describeKind(change)))
  if (first && others.length === 0) return first
  return steps.every(({ change }) => change.kind === 'status') ? words.status : 'Decided'
}

const describeKind = (change: Change) =>
  change.kind === 'status' && change.status !== 'undefined' ? statusLabels[change.status] : words[change.kind]
