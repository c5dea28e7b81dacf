import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { RefObject } from 'react'
import type { VulnMarks } from '../../../worker/triage/inbox-contract'
import type { VulnRow } from '../../../worker/vulns/contract'
import { showError } from '../../lib/notice'
import { plural } from '../../lib/format'
import { focusRow } from '../../ui/keys'
import { showUndo } from '../../ui/undo-notice'
import { changeMutation, markSeenMutation, undoMutation } from './inbox-api'
import type { Change, Changed } from './inbox-api'
import { useSelection } from './selection'

type Inbox = {
  rows: VulnRow[]
  marks: Map<number, VulnMarks>
  openId: number | undefined
  open: (id: number | undefined) => void
}
export type Triage = ReturnType<typeof useTriage>

const words: Record<Change['kind'], string> = { status: 'Status changed', assign: 'Assigned', snooze: 'Snoozed' }
const ends = (change: Change) =>
  change.kind === 'snooze' || (change.kind === 'status' && change.status !== 'in_progress')

const findLine = (id: number | undefined) =>
  document.querySelector<HTMLElement>(`tbody tr[data-id="${id}"]`) ?? undefined

export function useTriage({ rows, marks, openId, open }: Inbox) {
  const { ids: selected, select } = useSelection()
  const [asking, setAsking] = useState<'snooze' | 'assign' | null>(null)
  const changing = useMutation(changeMutation)
  const undoing = useMutation(undoMutation)
  const seen = useMutation(markSeenMutation)
  const wanted = useRef<number>(undefined)
  const doneBefore = useRef<(() => void)[]>([])
  const answered = useRef<Promise<unknown>>(Promise.resolve())
  const chosen = rows.filter(({ id }) => selected.has(id))
  const targets = chosen.length > 0 ? chosen : rows.filter(({ id }) => id === openId)

  const goTo = (id: number | undefined) => {
    open(id)
    wanted.current = id
    focusWanted(wanted)
  }
  // What comes back by an undo is not there before the list is drawn again.
  useEffect(() => focusWanted(wanted))
  // A change on its way is the last one: undo waits for its answer.
  const undo = () => void answered.current.then(() => doneBefore.current.pop()?.())
  const change = (what: Change) => {
    setAsking(null)
    const given = targets.flatMap(({ id }) => marks.get(id) ?? [])
    if (given.length === 0 || changing.isPending) return
    const [first] = given
    // Settled or snoozed it leaves the inbox: the next one is up.
    if (ends(what)) goTo(findNext(rows, targets)?.id)
    const name =
      targets.length === 1 ? (targets[0]?.known_as ?? '') : plural(targets.length, 'vulnerability', 'vulnerabilities')
    select([])
    const note = ({ set, skipped, undo: takeBack }: Changed) => {
      if (skipped.length) showError(`${skipped.length} not monitored: left as they were`)
      if (!set.length) return
      const back = () => undoing.mutate(takeBack, { onSuccess: () => goTo(first?.id) })
      doneBefore.current.push(back)
      // The notice takes back its own change, whatever came after it.
      showUndo(`${words[what.kind]}: ${name}`, () => takeBackOnce(doneBefore.current, back))
    }
    // Its failure has a notice of its own.
    answered.current = changing.mutateAsync({ marks: given, change: what }, { onSuccess: note }).catch(() => undefined)
  }
  const markUnread = () => targets.length > 0 && seen.mutate({ ids: targets.map(({ id }) => id), is_seen: false })
  return {
    targets,
    hasSelection: chosen.length > 0,
    isBusy: changing.isPending || undoing.isPending,
    asking,
    setAsking,
    change,
    undo,
    markUnread,
    goTo,
  }
}

function takeBackOnce(done: (() => void)[], back: () => void) {
  const at = done.indexOf(back)
  if (at !== -1) done.splice(at, 1)[0]?.()
}

function focusWanted(wanted: RefObject<number | undefined>) {
  const line = findLine(wanted.current)
  if (!line) return
  focusRow(line)
  wanted.current = undefined
}

/** The first row after those that go, or the last before them. */
function findNext(rows: VulnRow[], going: VulnRow[]) {
  const isGoing = (row: VulnRow) => going.includes(row)
  const last = rows.findLastIndex(isGoing)
  return rows.slice(last + 1).find((row) => !isGoing(row)) ?? rows.slice(0, last).findLast((row) => !isGoing(row))
}
