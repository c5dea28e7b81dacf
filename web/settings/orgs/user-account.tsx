import { Button, Fieldset, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import type { z } from 'zod'
import type { UserInfo } from '../../../worker/orgs/members-contract'
import { accountMutation } from './users-api'

type Props = { user: z.output<typeof UserInfo>; onClose: () => void }

export function UserAccount({ user, onClose }: Props) {
  const { id, username, is_active } = user
  const [isDeleting, deleting] = useDisclosure(false)
  const admission = useMutation(accountMutation(is_active ? 'disable' : 'enable'))
  const deletion = useMutation(accountMutation('delete'))
  return (
    <Fieldset legend="Account in all organizations" mt="md">
      <Stack gap="xs">
        <Text size="sm" role="status">
          {isDeleting
            ? `Do you really want to delete ${username}? This cannot be undone. What they wrote stays without their name.`
            : describe(is_active)}
        </Text>
        <Group justify="flex-end" gap="xs">
          {isDeleting ? (
            <>
              <Button variant="default" onClick={deleting.close} data-autofocus>
                Keep it
              </Button>
              <Button
                color="red.9"
                loading={deletion.isPending}
                onClick={() => deletion.mutate(id, { onSuccess: onClose })}
              >
                Delete for ever
              </Button>
            </>
          ) : (
            <>
              <Button
                variant="default"
                loading={admission.isPending}
                onClick={() => admission.mutate(id, { onSuccess: onClose })}
              >
                {is_active ? 'Disable the account' : 'Enable the account'}
              </Button>
              <Button variant="default" onClick={deleting.open}>
                Delete the account
              </Button>
            </>
          )}
        </Group>
      </Stack>
    </Fieldset>
  )
}

const describe = (isActive: boolean) =>
  isActive
    ? 'It is enabled. Disabled, it ends all sessions and lets nobody in until it is enabled again.'
    : 'It is disabled: nobody gets in with it.'
