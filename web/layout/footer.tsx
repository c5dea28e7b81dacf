import { UnstyledButton, Popover } from '@mantine/core'
import { useNetwork } from '@mantine/hooks'
import { keyDialog } from '../ui/keys'
import classes from './footer.module.css'
import { OwnVersion } from './own-version'
import { useQuery } from '@tanstack/react-query'
import { IconAlertTriangle, IconCircleCheck, IconLoader, IconPlugConnectedX } from '@tabler/icons-react'
import { useSession } from '../session/session'
import { AppLink } from '../ui/app-link'
import { freshnessQuery } from './api'
import { FeedList } from './feed-list'
import { findFreshness } from './feed-state'

export function Footer() {
  return (
    <footer className={classes.footer}>
      <Freshness />
      <UnstyledButton className={classes.keys} onClick={() => (keyDialog.value = 'keys')}>
        Keyboard shortcuts
      </UnstyledButton>
      <OwnVersion />
    </footer>
  )
}

const icons = { calm: IconCircleCheck, busy: IconLoader, warning: IconAlertTriangle }

/** An analyst must know how recent the data is before trusting an empty list. */
function Freshness() {
  const { data } = useQuery(freshnessQuery)
  const isAdmin = useSession().user?.is_admin
  const { online } = useNetwork()
  if (!online)
    return (
      <span className={classes.freshness} data-tone="warning" role="status">
        <IconPlugConnectedX size={16} aria-hidden />
        Offline: nothing new arrives, and this screen may be old
      </span>
    )
  if (!data) return <span className={classes.freshness}>Feeds: not known yet</span>

  const { tone, text } = findFreshness(data.feeds)
  const Icon = icons[tone]
  return (
    <Popover width={340} position="top-start" shadow="md" trapFocus>
      <Popover.Target>
        <UnstyledButton className={classes.freshness} data-tone={tone}>
          <Icon size={16} aria-hidden />
          {text}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label="Feeds" maw="calc(100vw - 24px)" tabIndex={-1} data-autofocus>
        <FeedList feeds={data.feeds} />
        <p className={classes.further}>
          {isAdmin ? (
            <AppLink to="/settings?tab=sync">Run and inspect the feeds</AppLink>
          ) : (
            <AppLink to="/help#sources">Where data comes from</AppLink>
          )}
        </p>
      </Popover.Dropdown>
    </Popover>
  )
}
