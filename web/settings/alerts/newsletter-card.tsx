import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { plural } from '../../lib/format'
import { useAccess } from '../../session/access'
import { Card } from '../../ui/card'
import { FailedLine } from '../../ui/failed-line'
import classes from './alerting.module.css'
import { newsletterQuery, newsletterSampleMutation } from './api'

/** For whoever runs Earshot. */
export function NewsletterCard() {
  const isAdmin = useAccess()('admin')
  const [isOpen, setOpen] = useState(false)
  const issue = useQuery({ ...newsletterQuery, enabled: isAdmin && isOpen })
  const sending = useMutation(newsletterSampleMutation)
  if (!isAdmin) return null
  return (
    <Card title="Newsletter">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          Each Monday the ten vulnerabilities that mattered go to whoever subscribed.
        </Text>
        <FailedLine text="The newsletter could not be made." query={issue} />
        {issue.data === null && <Text size="sm">Nothing mattered in the last seven days: none would leave.</Text>}
        {issue.data && (
          <Textarea
            label={issue.data.subject}
            description={`It would go to ${plural(issue.data.readers, 'reader', 'readers')}.`}
            value={issue.data.text}
            readOnly
            classNames={{ input: classes.template }}
            autosize
            minRows={4}
            maxRows={14}
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button
            variant="default"
            loading={issue.isFetching}
            onClick={() => (isOpen ? void issue.refetch() : setOpen(true))}
          >
            Show it as it is now
          </Button>
          <Button variant="default" loading={sending.isPending} onClick={() => sending.mutate()}>
            Send it to me
          </Button>
        </Group>
      </Stack>
    </Card>
  )
}
