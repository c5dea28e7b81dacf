import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { inviteLimit } from '../../../worker/orgs/members-contract'
import { splitAddresses } from './addresses'
import { inviteMutation } from './users-api'

type Props = { org: { id: number; name: string }; onClose: () => void }

export function InviteDialog({ org, onClose }: Props) {
  const [text, setText] = useState('')
  const { isPending, mutate } = useMutation(inviteMutation)
  const { valid, invalid } = splitAddresses(text)
  const count = valid.length + invalid.length
  const isTooMany = count > inviteLimit
  return (
    <Modal opened onClose={onClose} title={`Invite users to ${org.name}`} centered>
      <Stack gap="sm">
        <Textarea
          label="E-mail addresses"
          description={`Separated by commas or lines, ${inviteLimit} at most`}
          data-autofocus
          rows={6}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={isTooMany && `${count} addresses are too many: ${inviteLimit} at most`}
        />
        <Text size="sm" c="dimmed" role="status">
          {count} of {inviteLimit} addresses
        </Text>
        {invalid.length > 0 && (
          <Text size="sm" c="var(--warning)">
            Not an address, left out: {invalid.join(', ')}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            disabled={valid.length === 0 || isTooMany}
            loading={isPending}
            onClick={() => mutate({ org_id: org.id, emails: valid }, { onSuccess: onClose })}
          >
            Invite
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
