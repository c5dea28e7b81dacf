import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { showError, showWarning } from '../../lib/notice'
import { showFailure } from '../../lib/query-client'
import { showUndo } from '../../ui/undo-notice'
import { changeMutation, undoMutation } from './inbox-api'
import type { Change, Changed, BulkChange } from './inbox-api'

type Step = { ids: number[]; made: Promise<Changed>; hideNotice?: () => void }

const words: Record<Change['kind'], string> = { status: 'Status changed', assign: 'Assigned', snooze: 'Snoozed' }

/** What was taken back stands in the history as well: it is passed over when what came before it is taken back. */
const maxLater = 100

/** Every key press is a step. Steps run one after another, and each can be undone from the moment of the press. */
export function useChanges(onBack: (ids: number[]) => unknown) {
  const { mutateAsync: make } = useMutation(changeMutation)
  const { mutateAsync: takeBack } = useMutation(undoMutation)
  const steps = useRef<Step[]>([])
  const takenBack = useRef<string[]>([])

  const remove = (step: Step) => {
    steps.current = steps.current.filter((one) => one !== step)
  }
  const undo = (step = steps.current.at(-1)) => {
    if (!step) return showWarning('Nothing to undo.')
    // The notice may outlive its step.
    if (!steps.current.includes(step)) return undefined
    remove(step)
    step.hideNotice?.()
    const later = takenBack.current.slice(-maxLater)
    return takeBack({ ...step, later }).then(async (undone) => {
      const { undo: made } = await step.made
      takenBack.current.push(...[made, undone].filter((one) => one !== null))
      onBack(step.ids)
    }, ignore)
  }
  const add = (order: BulkChange) => {
    const step: Step = { ids: order.ids, made: make(order) }
    steps.current.push(step)
    const tell = ({ skipped }: Changed) => {
      if (skipped.length) showError(`${skipped.length} of ${order.ids.length} could not be changed`)
      if (steps.current.includes(step))
        step.hideNotice = showUndo(`${words[order.change.kind]}: ${order.name}`, () => void undo(step))
    }
    step.made.then(tell, (error: Error) => {
      remove(step)
      showFailure(error, `Unable to change ${order.name}`)
    })
    return step.made
  }
  return { add, undo: () => void undo() }
}

/** The failure of an undo has a notice of its own. */
const ignore = () => undefined
