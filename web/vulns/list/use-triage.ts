import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { VulnRow } from '../../../worker/vulns/contract'
import { plural } from '../../lib/format'
import { focusRow } from '../../ui/keys'
import { markSeenMutation } from '../seen-marks'
import type { Change } from './inbox-api'
import { useSelection } from './selection'
import { useChanges } from './use-changes'

type Inbox = { rows: VulnRow[]; openId: number | undefined; open: (id: number | undefined) => void }
export type Triage = ReturnType<typeof useTriage>

/** Whether the change takes a row out of the inbox. */
const ends = (change: Change) =>
  change.kind === 'snooze' || (change.kind === 'status' && change.status !== 'in_progress')

export function useTriage({ rows, openId, open }: Inbox) {
  const { ids: selected, select } = useSelection()
  const [asking, setAsking] = useState<'snooze' | 'assign' | null>(null)
  const { mutate: mark } = useMutation(markSeenMutation)
  const goTo = useGoing(open)
  const isAsking = useRef(false)
  useEffect(() => {
    isAsking.current = asking !== null
  })
  // The answer may come while a dialog about the shown row is open.
  const changes = useChanges(([first]) => isAsking.current || goTo(first))
  const leaving = findLeaving(rows)
  const chosen = rows.filter(({ id }) => selected.has(id))
  const targets = chosen.length > 0 ? chosen : rows.filter(({ id }) => id === openId)
  const ids = targets.map(({ id }) => id)

  const change = (what: Change) => {
    setAsking(null)
    const [first] = targets
    if (!first) return
    if (ends(what)) {
      for (const id of ids) leaving.add(id)
      goTo(findNext(rows, ids, leaving))
    }
    select([])
    const name = targets.length === 1 ? first.known_as : plural(targets.length, 'vulnerability', 'vulnerabilities')
    changes.add({ ids, change: what, name }).catch(() => {
      for (const id of ids) leaving.delete(id)
    })
  }
  return {
    targets,
    hasSelection: chosen.length > 0,
    asking,
    setAsking,
    change,
    undo: changes.undo,
    markUnread: () => ids.length > 0 && mark({ ids, is_seen: false }),
  }
}

/** Opens a row and focuses it as soon as it is drawn: a row that an undo brings back is not there at once. */
function useGoing(open: Inbox['open']) {
  const wanted = useRef<number>(undefined)
  const isShown = useRef(true)
  useEffect(() => {
    isShown.current = true
    return () => void (isShown.current = false)
  }, [])
  const focusWanted = () => {
    const line = document.querySelector<HTMLElement>(`tbody tr[data-id="${wanted.current}"]`)
    if (!line) return
    focusRow(line)
    wanted.current = undefined
  }
  useEffect(focusWanted)
  return (id: number | undefined) => {
    // An answer may come when another screen is open.
    if (!isShown.current) return
    open(id)
    wanted.current = id
    focusWanted()
  }
}

/** The rows that pending changes will take out, for each loaded list. */
const leavingRows = new WeakMap<VulnRow[], Set<number>>()

function findLeaving(rows: VulnRow[]) {
  const leaving = leavingRows.get(rows) ?? new Set<number>()
  leavingRows.set(rows, leaving)
  return leaving
}

/** The first row after the leaving ones, or the last before them. */
function findNext(rows: VulnRow[], going: number[], leaving: Set<number>) {
  const last = rows.findLastIndex(({ id }) => going.includes(id))
  const stays = ({ id }: VulnRow) => !leaving.has(id)
  return (rows.slice(last + 1).find(stays) ?? rows.slice(0, last).findLast(stays))?.id
}
