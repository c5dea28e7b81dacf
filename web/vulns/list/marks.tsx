import { createContext, use } from 'react'
import { IconBellOff, IconPointFilled } from '@tabler/icons-react'
import type { VulnMarks } from '../../../worker/triage/inbox-contract'
import { statusLabels } from '../../lib/status-labels'
import classes from './inbox.module.css'

/** A context, so that a mark draws its cell again and not whole rows. */
export const MarksContext = createContext<Map<number, VulnMarks>>(new Map())

export function UnreadMark({ id }: { id: number }) {
  const mark = use(MarksContext).get(id)
  if (!mark?.is_unread) return null
  return <IconPointFilled size={18} className={classes.unread} role="img" aria-label="Unread" title="Unread" />
}

export function WorkMarks({ id }: { id: number }) {
  const mark = use(MarksContext).get(id)
  if (!mark || (mark.status === 'undefined' && !mark.is_snoozed && !mark.assignee)) return null
  return (
    <span className={classes.work}>
      {mark.status !== 'undefined' && <b>{statusLabels[mark.status]}</b>}
      {mark.is_snoozed && (
        <span>
          <IconBellOff size={12} aria-hidden /> Snoozed
        </span>
      )}
      {mark.assignee && <span>{mark.assignee.name}</span>}
    </span>
  )
}
