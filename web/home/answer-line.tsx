import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import type { FeedInfo } from '../../worker/feeds/contract'
import type { HomeDesk } from '../../worker/home/contract'
import { freshnessQuery } from '../layout/api'
import { hasUnread, isTroubled, listEnded } from '../layout/feed-state'
import { formatCount, plural } from '../lib/format'
import { useSession } from '../session/session'
import { AppLink } from '../ui/app-link'
import { FailedLine } from '../ui/failed-line'
import { toInbox } from '../vulns/inbox-address'
import { deskQuery } from './api'
import { beforeVisit } from './last-visit'
import classes from './news.module.css'

type Part = { text: string; to: string; isAlarm?: boolean }

/** The state of things in one line, each part a link to what it counts. */
export function AnswerLine({ isEmpty }: { isEmpty: boolean }) {
  const [desk, feeds] = [useQuery(deskQuery(beforeVisit())), useQuery(freshnessQuery)]
  const isAdmin = useSession().user?.is_admin
  if (!desk.data || !feeds.data) {
    const failed = [desk, feeds].find(({ data, error }) => !data && error)
    return (
      <div className={classes.answer} aria-busy={!failed}>
        {failed ? (
          <FailedLine text="The exploited, overdue and new vulnerabilities could not be loaded." query={failed} />
        ) : (
          <Skeleton height={18} maw={560} />
        )}
      </div>
    )
  }
  const { feeds: all } = feeds.data
  const isPart = hasUnread(all) || desk.data.matching_count + desk.data.comparing_count > 0
  const parts = [
    ...(isEmpty
      ? [{ text: 'You monitor nothing yet: choose what you run', to: '/products' }]
      : listOpen(desk.data, isPart)),
    ...listWaiting(desk.data),
    { ...tellFeeds(all), to: isAdmin ? '/settings?tab=sync' : '/help#sources' },
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

/** `isPart`: the numbers lack what is not read, matched or compared yet. */
function listOpen(
  { exploited, affecting, overdue, overdue_is_exact, changed, changed_is_exact, since }: HomeDesk,
  isPart: boolean,
): Part[] {
  const count = formatCount(changed, changed_is_exact)
  return [
    {
      text:
        !exploited && isPart
          ? 'Nothing exploited is known yet to affect what you run'
          : tellExploited(exploited, affecting),
      to: toInbox('wild'),
      isAlarm: exploited > 0,
    },
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

/** The numbers lack these, which may be affected. */
function listWaiting({ matching_count, comparing_count }: HomeDesk): Part[] {
  const items = plural(matching_count, 'monitored item waits', 'monitored items wait')
  const components = plural(comparing_count, 'component waits', 'components wait')
  return [
    ...(matching_count ? [{ text: `${items} to be matched`, to: '/monitoring', isAlarm: true }] : []),
    ...(comparing_count
      ? [{ text: `${components} to be compared`, to: '/monitoring/inventories', isAlarm: true }]
      : []),
  ]
}

function tellFeeds(feeds: FeedInfo[]) {
  const late = feeds.filter(isTroubled).length
  if (late) return { text: `${plural(late, 'feed')} late or failed`, isAlarm: true }
  if (hasUnread(feeds)) return { text: 'feeds are being read for the first time', isAlarm: true }
  const ended = listEnded(feeds).length
  if (!ended) return { text: 'all feeds up to date' }
  return {
    text: `all feeds read, from a copy: ${formatCount(ended)} of them ${ended === 1 ? 'is' : 'are'} of an earlier day`,
  }
}

/** A vulnerability that nobody knows to be safe may affect. */
function tellExploited(exploited: number, affecting: number) {
  if (!exploited) return 'Nothing that is exploited affects what you run'
  const many = `${plural(exploited, 'exploited vulnerability', 'exploited vulnerabilities')}`
  if (affecting === exploited) return `${many} ${exploited === 1 ? 'affects' : 'affect'} what you run, surely or likely`
  return affecting === 0
    ? `${many} may affect what you run`
    : `${many} affect or may affect what you run, ${formatCount(affecting)} surely or likely`
}
