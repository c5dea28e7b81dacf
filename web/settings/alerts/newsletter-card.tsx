import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { plural } from '../../lib/format'
import { useAccess } from '../../session/access'
import { Card } from '../../ui/card'
import { ChangeButton } from '../../ui/label-button'
import { FailedLine } from '../../ui/failed-line'
import { newsletterQuery, newsletterSampleMutation } from './api'
import { MessageText } from './sample'

/** For whoever runs Earshot. */
export function NewsletterCard() {
  const isAdmin = useAccess()('admin')
  const [isOpen, setOpen] = useState(false)
  const issue = useQuery({ ...newsletterQuery, enabled: isAdmin && isOpen })
  if (!isAdmin) return null
  return (
    <Card title="Newsletter">
      <Stack>
        <Text size="sm" c="dimmed">
          Each Monday the ten vulnerabilities that mattered go to whoever subscribed.
        </Text>
        <FailedLine text="The newsletter could not be made." query={issue} />
        {issue.data === null && <Text size="sm">Nothing mattered in the last seven days: none would leave.</Text>}
        {issue.data && (
          <MessageText
            label={issue.data.subject}
            description={`It would go to ${plural(issue.data.readers, 'reader', 'readers')}.`}
            text={issue.data.text}
          />
        )}
        <Group justify="flex-end">
          <Button loading={issue.isFetching} onClick={() => (isOpen ? void issue.refetch() : setOpen(true))}>
            Show it as it is now
          </Button>
          <ChangeButton label="Send it to me" change={newsletterSampleMutation} given={undefined} />
        </Group>
      </Stack>
    </Card>
  )
}
