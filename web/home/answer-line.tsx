import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import type { HomeDesk } from '../../worker/home/contract'
import { freshnessQuery } from '../layout/api'
import { isTroubled, listEnded } from '../layout/feed-state'
import { formatCount, plural } from '../lib/format'
import { useSession } from '../session/session'
import { AppLink } from '../ui/app-link'
import { toInbox } from '../vulns/inbox-address'
import classes from './news.module.css'

type Part = { text: string; to: string; isAlarm?: boolean }

/** The state of things in one line, each part a link to what it counts. */
export function AnswerLine({ desk, isEmpty }: { desk: HomeDesk | undefined; isEmpty: boolean }) {
  const { data } = useQuery(freshnessQuery)
  const isAdmin = useSession().user?.is_admin
  if (!desk || !data)
    return (
      <div className={classes.answer} aria-busy>
        <Skeleton height={18} maw={560} />
      </div>
    )
  const late = data.feeds.filter(isTroubled).length
  const parts = [
    ...(isEmpty ? [{ text: 'You monitor nothing yet: choose what you run', to: '/products' }] : listOpen(desk)),
    {
      text: late ? `${plural(late, 'feed')} late or failed` : tellCopy(listEnded(data.feeds).length),
      to: isAdmin ? '/settings?tab=sync' : '/help#sources',
      isAlarm: late > 0,
    },
  ]
  return (
    <p className={classes.answer}>
      {parts.map(({ text, to, isAlarm }, at) => (
        <Fragment key={to}>
          {at > 0 && ' · '}
          <AppLink to={to} inherit underline="hover" data-alarm={isAlarm || undefined}>
            {text}
          </AppLink>
        </Fragment>
      ))}
    </p>
  )
}

function listOpen({
  exploited,
  affecting,
  overdue,
  overdue_is_exact,
  changed,
  changed_is_exact,
  since,
}: HomeDesk): Part[] {
  const count = formatCount(changed, changed_is_exact)
  return [
    { text: tellExploited(exploited, affecting), to: toInbox('wild'), isAlarm: exploited > 0 },
    {
      text: overdue ? `${formatCount(overdue, overdue_is_exact)} overdue` : 'nothing overdue',
      to: toInbox('due<today'),
      isAlarm: overdue > 0,
    },
    since
      ? {
          text: `${changed ? count : 'nothing'} published or changed since you last looked`,
          to: toInbox(`updated>${since}`),
        }
      : { text: `${changed ? count : 'nothing'} published or changed in 24 hours`, to: toInbox('updated<=24h') },
  ]
}

const tellCopy = (ended: number) =>
  ended
    ? `all feeds read, from a copy: ${formatCount(ended)} of them ${ended === 1 ? 'is' : 'are'} of an earlier day`
    : 'all feeds up to date'

/** A vulnerability that nobody knows to be safe may affect. */
function tellExploited(exploited: number, affecting: number) {
  if (!exploited) return 'Nothing that is exploited affects what you run'
  const many = `${plural(exploited, 'exploited vulnerability', 'exploited vulnerabilities')}`
  if (affecting === exploited) return `${many} ${exploited === 1 ? 'affects' : 'affect'} what you run, surely or likely`
  return affecting === 0
    ? `${many} may affect what you run`
    : `${many} affect or may affect what you run, ${formatCount(affecting)} surely or likely`
}
