import { useDebouncedCallback } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { VulnRow } from '../../../worker/vulns/contract'
import { plural } from '../../lib/format'
import { focusRow } from '../../ui/keys'
import { refreshDecided } from '../../decisions/api'
import { markSeenMutation, useEarlyStatus } from '../seen-marks'
import type { QuickQuestion } from '../quick-dialogs'
import type { Change } from './inbox-api'
import { useSelection } from './selection'
import { useChanges } from './use-changes'

type Inbox = {
  /** Rows of the list; the shown rows are those that no change takes out. */
  listed: VulnRow[]
  hasMore: boolean
  /** Whether the list holds only what is open. */
  isOpenOnly: boolean
  openId: number | undefined
  open: (id: number | undefined) => void
}
export type Triage = ReturnType<typeof useTriage>

/** Whether the change takes a row out of the inbox. */
const ends = (change: Change) =>
  change.kind === 'snooze' || (change.kind === 'status' && change.status !== 'in_progress')

/** The list is asked for again when nobody has pressed a key for this time, or when few rows are left. */
const rest_ms = 600
const fewRows = 12
const noIds: ReadonlySet<number> = new Set()

export function useTriage({ listed, hasMore, isOpenOnly, openId, open }: Inbox) {
  const client = useQueryClient()
  const { ids: selected, select } = useSelection()
  const [asking, setAsking] = useState<QuickQuestion | null>(null)
  const { mutate: mark } = useMutation(markSeenMutation)
  const early = useEarlyStatus()
  const { rows, leaving, leave, stay, settle } = useLeaving(listed, isOpenOnly)
  const goTo = useGoing({ rows, hasMore, openId, open })

  const isIdle = useRef(true)
  const refresh = useDebouncedCallback(async () => {
    if (!isIdle.current) return
    await refreshDecided(client)
    if (isIdle.current) settle()
  }, rest_ms)
  const changes = useChanges({
    onBack: (ids) => {
      stay(ids)
      // The answer may come while a dialog about the shown row is open.
      if (asking === null) goTo(ids[0])
    },
    onFailed: (ids) => {
      stay(ids)
      early.takeBack(ids)
    },
    onAnswer: (isAll) => {
      isIdle.current = isAll
      if (isAll) early.settle()
      refresh()
      if (hasMore && rows.length < fewRows) void client.invalidateQueries({ queryKey: ['vulns', 'list'] })
    },
  })
  const chosen = rows.filter(({ id }) => selected.has(id))
  const targets = chosen.length > 0 ? chosen : rows.filter(({ id }) => id === openId)
  const ids = targets.map(({ id }) => id)

  const change = (what: Change) => {
    setAsking(null)
    const [first] = targets
    if (!first) return
    if (ends(what)) {
      goTo(findNext(rows, ids, leaving))
      leave(ids)
    }
    select([])
    const name = targets.length === 1 ? first.known_as : plural(targets.length, 'vulnerability', 'vulnerabilities')
    isIdle.current = false
    changes.add({ ids, change: what, name })
    if (what.kind === 'status') early.show(ids, what.status)
    refresh()
  }
  return {
    rows,
    targets,
    hasSelection: chosen.length > 0,
    asking,
    setAsking,
    change,
    undo: changes.undo,
    markUnread: () => ids.length > 0 && mark({ ids, is_seen: false }),
  }
}

/** Rows that a change takes out are gone before it is made, and there again if it is not. */
function useLeaving(listed: VulnRow[], isOpenOnly: boolean) {
  const [leaving, setLeaving] = useState(noIds)
  const rows = useMemo(
    () => (isOpenOnly ? listed.filter(({ id }) => !leaving.has(id)) : listed),
    [isOpenOnly, listed, leaving],
  )
  return {
    rows,
    leaving,
    leave: (ids: number[]) => setLeaving((current) => new Set([...current, ...ids])),
    stay: (ids: number[]) => setLeaving((current) => new Set([...current].filter((id) => !ids.includes(id)))),
    settle: () => setLeaving(noIds),
  }
}

/** Opens a row and focuses it as soon as it is drawn: a row that an undo brings back is not there at once. */
function useGoing({ rows, hasMore, openId, open }: Omit<Inbox, 'listed' | 'isOpenOnly'> & { rows: VulnRow[] }) {
  const wanted = useRef<number>(undefined)
  const isEmptied = useRef(false)
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
  const goTo = (id: number | undefined) => {
    // An answer may come when another screen is open.
    if (!isShown.current) return
    isEmptied.current = id === undefined && hasMore
    open(id)
    wanted.current = id
    focusWanted()
  }
  useEffect(() => {
    focusWanted()
    // The list may come later than the last decision on what was there.
    if (isEmptied.current && openId === undefined && rows[0]) goTo(rows[0].id)
  })
  return goTo
}

/** The first row after the leaving ones, or the last before them. */
function findNext(rows: VulnRow[], leavingNow: number[], leaving: ReadonlySet<number>) {
  const last = rows.findLastIndex(({ id }) => leavingNow.includes(id))
  const stays = ({ id }: VulnRow) => !leaving.has(id) && !leavingNow.includes(id)
  return (rows.slice(last + 1).find(stays) ?? rows.slice(0, Math.max(last, 0)).findLast(stays))?.id
}
