import { Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { IconFingerprint } from '@tabler/icons-react'
import { hasPasskeys } from '../session/passkey'
import { hasExpired } from '../session/sign-in'
import { passkeyMutation } from './api'

type Props = { eph_token: string; onSignedIn: () => void; onExpired: () => void }

export function PasskeyStep({ eph_token, onSignedIn, onExpired }: Props) {
  const passkey = useMutation(passkeyMutation)
  const confirm = () =>
    passkey.mutate(eph_token, { onSuccess: onSignedIn, onError: (error) => hasExpired(error) && onExpired() })

  if (!hasPasskeys()) return <Text size="sm">This browser cannot use passkeys.</Text>
  return (
    <Stack gap="sm">
      <Text size="sm">Confirm with a passkey that you added to your account.</Text>
      <Button
        autoFocus
        leftSection={<IconFingerprint size={18} aria-hidden />}
        loading={passkey.isPending}
        onClick={confirm}
      >
        Continue with a passkey
      </Button>
    </Stack>
  )
}
