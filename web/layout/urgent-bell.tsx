import { ActionIcon, Popover, Skeleton, Switch } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBell } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { maxUnread, type UrgentNews } from '../../worker/alerts/urgent/contract'
import { ruleNames } from '../../worker/domain/alerts/alert-rules'
import { AppLink } from '../ui/app-link'
import { FailedLine } from '../ui/failed-line'
import { Timestamp } from '../ui/timestamp'
import { setTitleMark } from '../ui/title'
import { readUrgentMutation, urgentQuery } from './api'
import { findKept, keep } from '../lib/kept'
import classes from './urgent-bell.module.css'
import { WriteButton } from '../session/write-button'

/** Urgent news that this person has not read: the number here and in the title, the list behind it. */
export function UrgentBell() {
  const news = useQuery(urgentQuery)
  const [isOpen, box] = useDisclosure(false)
  const unread = news.data?.unread ?? 0
  const count = unread > maxUnread ? `${maxUnread}+` : String(unread)
  useEffect(() => setTitleMark(unread ? count : ''), [unread, count])
  useEffect(() => () => setTitleMark(''), [])
  useNotices(news.data?.results)

  return (
    <Popover
      opened={isOpen}
      onChange={(isShown) => !isShown && box.close()}
      width={360}
      position="bottom-end"
      shadow="md"
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          className={classes.bell}
          aria-label={unread ? `Urgent alerts: ${count} unread` : 'Urgent alerts'}
          title="Urgent alerts"
          onClick={box.toggle}
        >
          <IconBell size={18} aria-hidden />
          {unread > 0 && (
            <span className={classes.count} aria-hidden>
              {count}
            </span>
          )}
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label="Urgent alerts" maw="calc(100vw - 24px)" tabIndex={-1} data-autofocus>
        <UrgentList news={news} onGo={box.close} />
      </Popover.Dropdown>
    </Popover>
  )
}

type News = { data: UrgentNews | undefined; error: Error | null; refetch: () => unknown }

function UrgentList({ news, onGo }: { news: News; onGo: () => void }) {
  const reading = useMutation(readUrgentMutation)
  const { data } = news
  if (!data)
    return news.error ? (
      <FailedLine text="Unable to get urgent alerts." query={news} />
    ) : (
      <Skeleton height={96} aria-busy />
    )

  const newest = Math.max(0, ...data.results.map(({ id }) => id))
  return (
    <>
      <div className={classes.head}>
        <strong>Urgent, last seven days</strong>
        {data.unread > 0 && (
          <WriteButton
            variant="subtle"
            size="compact-xs"
            loading={reading.isPending}
            onClick={() => reading.mutate({ id: newest })}
          >
            Mark all as read
          </WriteButton>
        )}
      </div>
      {data.results.length === 0 && <p className={classes.quiet}>Nothing urgent.</p>}
      <ul className={classes.list}>
        {data.results.map(({ id, rule, created_at, is_unread, vuln }) => (
          <li key={id} data-unread={is_unread || undefined}>
            <p className={classes.line}>
              {/* A press on the link closes the list. */}
              <span onClickCapture={onGo}>
                <AppLink to={`/vulns/${vuln.id}`} fw={600}>
                  {vuln.cveid ?? `PH-${vuln.id}`}
                </AppLink>
              </span>
              {is_unread && <UnreadMark id={id} name={vuln.cveid ?? `PH-${vuln.id}`} />}
              <span className={classes.when}>
                <Timestamp at={created_at} isRelative />
              </span>
            </p>
            <p>{ruleNames[rule]}</p>
            <p className={classes.quiet}>{vuln.summary}</p>
          </li>
        ))}
      </ul>
      <div className={classes.foot}>
        <span onClickCapture={onGo}>
          <AppLink to="/alerts">All alerts</AppLink>
        </span>
        {canNotify() && <NoticeSwitch />}
      </div>
    </>
  )
}

/** A press marks this one alone as read. */
function UnreadMark({ id, name }: { id: number; name: string }) {
  const reading = useMutation(readUrgentMutation)
  return (
    <WriteButton
      variant="subtle"
      size="compact-xs"
      className={classes.unread}
      aria-label={`Mark unread ${name} as read`}
      title="Mark as read"
      loading={reading.isPending}
      onClick={() => reading.mutate({ id, only: true })}
    >
      unread
    </WriteButton>
  )
}

function NoticeSwitch() {
  const [isOn, setOn] = useState(areNoticesOn)
  const isBlocked = Notification.permission === 'denied'
  return (
    <Switch
      size="xs"
      label={isBlocked ? 'This browser blocks notices' : 'Tell me while I look elsewhere'}
      checked={isOn}
      disabled={isBlocked}
      onChange={(event) => void setNotices(event.currentTarget.checked).then(setOn)}
    />
  )
}

/** Tells of what becomes urgent from now on, while nobody looks at the tab. */
function useNotices(results: UrgentNews['results'] | undefined) {
  const known = useRef<Set<number> | null>(null)
  useEffect(() => {
    if (!results) return
    const fresh = results.filter(({ id, is_unread }) => is_unread && known.current && !known.current.has(id))
    known.current = new Set([...(known.current ?? []), ...results.map(({ id }) => id)])
    if (document.hidden && areNoticesOn()) for (const alert of fresh) tellNotice(alert)
  }, [results])
}

const storageKey = 'EarshotNotices'

const canNotify = () => 'Notification' in window
const areNoticesOn = () => canNotify() && Notification.permission === 'granted' && findKept(storageKey) === 'on'

/** Asks the browser's own question the first time; answers whether notices are on now. */
async function setNotices(isOn: boolean) {
  const isAllowed = isOn && (await Notification.requestPermission()) === 'granted'
  keep(storageKey, isAllowed ? 'on' : 'off')
  return isAllowed
}

/** Several tabs tell of the same alert once, because its tag is the same. */
function tellNotice({ id, rule, vuln }: UrgentNews['results'][number]) {
  const notice = new Notification(`${vuln.cveid ?? `PH-${vuln.id}`}: ${ruleNames[rule]}`, {
    body: vuln.summary,
    tag: `earshot-${id}`,
  })
  notice.addEventListener('click', () => {
    window.focus()
    location.assign(`/vulns/${vuln.id}`)
  })
}
