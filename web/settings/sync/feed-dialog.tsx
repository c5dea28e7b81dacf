import { Modal, Tabs } from '@mantine/core'
import type { FeedInfo } from '../../../worker/feeds/contract'
import { formatCount } from '../../lib/format'
import { EmptyState } from '../../ui/empty-state'
import { FeedRuns } from './feed-runs'
import { FeedSkips } from './feed-skips'
import { FeedYears } from './feed-years'
import { useFocusBack } from '../../ui/focus-back'

type Props = { feed: FeedInfo; onClose: () => void }

export function FeedDialog({ feed, onClose }: Props) {
  useFocusBack()
  const { id, name, years, holes } = feed
  const unread = feed.skips.reduce((count, skip) => count + skip.count, 0)
  return (
    <Modal opened onClose={onClose} title={name} size="xl">
      <Tabs defaultValue="runs">
        <Tabs.List mb="md">
          <Tabs.Tab value="runs">Last runs</Tabs.Tab>
          <Tabs.Tab value="years">Years</Tabs.Tab>
          <Tabs.Tab value="skips">Skipped records ({formatCount(unread)})</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="runs">
          <FeedRuns feed={id} />
        </Tabs.Panel>
        <Tabs.Panel value="years">
          {years.length > 0 ? (
            <FeedYears years={years} holes={holes} />
          ) : (
            <EmptyState title="This source gives no totals" text="Whether records are missing is not known." />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="skips">
          <FeedSkips feed={feed} />
        </Tabs.Panel>
      </Tabs>
    </Modal>
  )
}
