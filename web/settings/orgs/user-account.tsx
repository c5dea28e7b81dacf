import { Button, Fieldset, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { z } from 'zod'
import type { UserInfo } from '../../../worker/orgs/members/contract'
import { accountMutation } from './api'

type Props = { user: z.output<typeof UserInfo>; onClose: () => void }

type Ending = 'disable' | 'delete'

export function UserAccount({ user, onClose }: Props) {
  const { id, is_active } = user
  const [ending, setEnding] = useState<Ending>()
  const enabling = useMutation(accountMutation('enable'))
  return (
    <Fieldset legend="Account in all organizations" mt="md">
      {ending ? (
        <Question user={user} ending={ending} onKeep={() => setEnding(undefined)} onDone={onClose} />
      ) : (
        <Stack gap="xs">
          <Text size="sm" role="status">
            {describe(is_active)}
          </Text>
          <Group justify="flex-end" gap="xs">
            {is_active ? (
              <Button variant="default" onClick={() => setEnding('disable')}>
                Disable the account
              </Button>
            ) : (
              <Button
                variant="default"
                loading={enabling.isPending}
                onClick={() => enabling.mutate(id, { onSuccess: onClose })}
              >
                Enable the account
              </Button>
            )}
            <Button variant="default" onClick={() => setEnding('delete')}>
              Delete the account
            </Button>
          </Group>
        </Stack>
      )}
    </Fieldset>
  )
}

type QuestionProps = { user: Props['user']; ending: Ending; onKeep: () => void; onDone: () => void }

function Question({ user: { id, username }, ending, onKeep, onDone }: QuestionProps) {
  const { isPending, mutate } = useMutation(accountMutation(ending))
  return (
    <Stack gap="xs">
      <Text size="sm" role="status">
        {questions[ending](username)}
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onKeep} data-autofocus>
          Keep the account
        </Button>
        <Button color="red.9" loading={isPending} onClick={() => mutate(id, { onSuccess: onDone })}>
          {ending === 'disable' ? 'Disable' : 'Delete forever'}
        </Button>
      </Group>
    </Stack>
  )
}

const questions = {
  disable: (username: string) =>
    `Do you really want to disable ${username}? They are signed out everywhere and cannot sign in until the account is enabled again.`,
  delete: (username: string) =>
    `Do you really want to delete ${username}? This cannot be undone. What they wrote stays, without their name.`,
}

const describe = (isActive: boolean) =>
  isActive ? 'The account is enabled.' : 'The account is disabled: nobody can sign in with it.'
