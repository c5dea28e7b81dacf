import { Button, Group, Select, Stack } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Card } from '../../ui/card'
import { CopyField } from '../../ui/copy-field'
import { FailedLine } from '../../ui/failed-line'
import { FailedState } from '../../ui/failed-state'
import { Timestamp } from '../../ui/timestamp'
import { viewsQuery } from '../../views/api'
import settings from '../settings.module.css'
import classes from './alerting.module.css'
import { createFeedMutation, alertFeedsQuery, removeFeedMutation } from './api'
import { WriteButton } from '../../session/write-button'

const all = { value: '0', label: 'All alerts' }

export function FeedsCard() {
  const [view, setView] = useState(all.value)
  const feeds = useQuery(alertFeedsQuery)
  const views = useQuery(viewsQuery())
  const making = useMutation(createFeedMutation)
  const choices = [all, ...(views.data ?? []).map(({ id, name }) => ({ value: String(id), label: name }))]
  return (
    <Card title="Feed reader">
      <Stack gap="sm">
        <p className={classes.health}>
          The newest 100 alerts as Atom and JSON. Anybody who has the address can read the feed. It is shown once, a new
          one replaces it, and it ends when its maker leaves the organization.
        </p>
        <Group gap="xs" align="flex-end">
          <Select
            label="Feed of"
            data={choices}
            value={view}
            onChange={(value) => setView(value ?? all.value)}
            allowDeselect={false}
          />
          <WriteButton variant="default" loading={making.isPending} onClick={() => making.mutate(Number(view))}>
            Make an address
          </WriteButton>
        </Group>
        <FailedLine text="Your views could not be loaded." query={views} />
        {making.data && (
          <>
            <CopyField label={`Atom feed of ${making.data.name}`} value={making.data.atom_url} />
            <CopyField label={`JSON feed of ${making.data.name}`} value={making.data.json_url} />
          </>
        )}
        {feeds.error && <FailedState error={feeds.error} onRetry={() => void feeds.refetch()} />}
        <ul className={settings.list} aria-label="Feeds">
          {(feeds.data ?? []).map((feed) => (
            <Feed key={feed.view_id} {...feed} />
          ))}
        </ul>
      </Stack>
    </Card>
  )
}

function Feed({ view_id, name, created_at }: { view_id: number; name: string; created_at: string }) {
  const removing = useMutation(removeFeedMutation)
  return (
    <li className={settings.item}>
      <span>
        {name}, since <Timestamp at={created_at} />
      </span>
      <Button
        variant="default"
        size="xs"
        aria-label={`Revoke the feed ${name}`}
        loading={removing.isPending}
        onClick={() => removing.mutate(view_id)}
      >
        Revoke
      </Button>
    </li>
  )
}
