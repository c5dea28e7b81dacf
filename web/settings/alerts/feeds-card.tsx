import { Group, Select, Stack } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Card } from '../../ui/card'
import { ChangeButton } from '../../ui/label-button'
import { CopyField } from '../../ui/copy-field'
import { FailedLine } from '../../ui/failed-line'
import { Timestamp } from '../../ui/timestamp'
import { viewsQuery } from '../../views/api'
import { Item, CardList } from '../item'
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
      <Stack>
        <p className={classes.health}>
          The newest 100 alerts as Atom and JSON. Anybody who has the address can read the feed. It is shown once, a new
          one replaces it, and it ends when its maker leaves the organization.
        </p>
        <Group align="flex-end">
          <Select
            label="Feed of"
            data={choices}
            value={view}
            onChange={(value) => setView(value ?? all.value)}
            allowDeselect={false}
          />
          <WriteButton loading={making.isPending} onClick={() => making.mutate(Number(view))}>
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
        <CardList label="Feeds" query={feeds}>
          {({ view_id, name, created_at }) => (
            <Item key={view_id} name={name} note={<Since at={created_at} />}>
              <ChangeButton
                size="xs"
                label="Revoke"
                about={`the feed ${name}`}
                change={removeFeedMutation}
                given={view_id}
              />
            </Item>
          )}
        </CardList>
      </Stack>
    </Card>
  )
}

const Since = ({ at }: { at: string }) => (
  <>
    since <Timestamp at={at} />
  </>
)
