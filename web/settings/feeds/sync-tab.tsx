import { Button, Group, Skeleton, Stack, Menu, NativeSelect } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { IconRefresh, IconChevronDown } from '@tabler/icons-react'
import { useSearchParams } from 'react-router-dom'
import { syncTriggers, firstSyncYear, syncFromYear, syncYear, type FeedInfo } from '../../../worker/feeds/contract'
import { findFreshness, isTroubled } from '../../layout/feed-state'
import { EmptyState } from '../../ui/empty-state'
import { FailedState } from '../../ui/failed-state'
import { ChangeButton } from '../../ui/label-button'
import { HelpLink } from '../../ui/help-link'
import classes from '../settings.module.css'
import { feedsQuery, runFeedsMutation, callTriggerMutation, callYearTriggerMutation } from './api'
import { FeedCard } from './feed-card'
import { FeedDialog } from './feed-dialog'
import { useState } from 'react'

export function SyncTab() {
  const { data, error, refetch } = useQuery(feedsQuery)
  const [params, setParams] = useSearchParams()

  if (error && !data) return <FailedState title="Unable to get the feeds" query={{ error, refetch }} />
  if (!data) return <Skeleton height={320} aria-busy />
  const { feeds } = data
  if (feeds.length === 0)
    return <EmptyState title="No feed is switched on" text="The operator of Earshot chooses its feeds." />

  const open = feeds.find(({ id }) => id === params.get('feed'))
  const show = (id: FeedInfo['id'] | undefined) => setParams(id ? { tab: 'sync', feed: id } : { tab: 'sync' })
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <p className={classes.note} role="status">
          {findFreshness(feeds).text}
        </p>
        <Group>
          <ChangeButton
            variant="filled"
            leftSection={<IconRefresh size={16} aria-hidden />}
            label="Run all now"
            change={runFeedsMutation}
            given={undefined}
          />
          <SyncMenu />
          <HelpLink topic="sources" about="where data comes from" />
        </Group>
      </Group>
      <YearForm />
      <div className={classes.cards}>
        {feeds.toSorted(troubledFirst).map((feed) => (
          <FeedCard key={feed.id} feed={feed} onOpen={() => show(feed.id)} />
        ))}
      </div>
      {open && <FeedDialog feed={open} onClose={() => show(undefined)} />}
    </Stack>
  )
}

const troubledFirst = (a: FeedInfo, b: FeedInfo) => Number(isTroubled(b)) - Number(isTroubled(a))

function SyncMenu() {
  const { isPending, mutate } = useMutation(callTriggerMutation)
  return (
    <Menu width={280}>
      <Menu.Target>
        <Button loading={isPending} rightSection={<IconChevronDown size={14} aria-hidden />}>
          More
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {syncTriggers.map(({ contract }) => (
          <Menu.Item key={contract.path} onClick={() => mutate(contract)}>
            {contract.summary}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function YearForm() {
  const [now] = useState(() => new Date().getUTCFullYear())
  const [year, setYear] = useState(now)
  const { isPending, mutate } = useMutation(callYearTriggerMutation)
  const years = Array.from({ length: now - firstSyncYear + 1 }, (_, age) => String(now - age))
  return (
    <section aria-label="CVE records by year">
      <Group align="end">
        <NativeSelect
          label="CVE records by year"
          w={170}
          data={years}
          value={String(year)}
          onChange={({ currentTarget }) => setYear(Number(currentTarget.value))}
        />
        <Button disabled={isPending} onClick={() => mutate({ contract: syncYear, year })}>
          Read {year}
        </Button>
        <Button disabled={isPending} onClick={() => mutate({ contract: syncFromYear, year })}>
          Read from {year} on
        </Button>
      </Group>
      <p className={classes.note}>Records that have not changed at the source are skipped.</p>
    </section>
  )
}
