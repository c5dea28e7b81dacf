import { Button, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { checkPassword } from '../../worker/account/contract'
import { act } from '../lib/ask'
import { call } from '../lib/call'
import { hasPasskeys, provePasskeyAgain } from '../session/passkey'
import { answerProof, useProofAsked } from '../session/proof'
import { PasswordStep } from '../ui/password-step'

const byPassword = act((password: string) => call(checkPassword, { body: { password } }), {
  failure: 'Invalid Password',
})
const byPasskey = act(provePasskeyAgain, {
  failure: (error: Error) => (error.name === 'NotAllowedError' ? 'No passkey was used' : error.message),
})

export function ProofDialog() {
  const isAsked = useProofAsked()
  return (
    <Modal opened={isAsked} onClose={() => answerProof(false)} title="Confirm that it is you" centered zIndex={400}>
      <ProofSteps onProved={() => answerProof(true)} onCancel={() => answerProof(false)}>
        This action needs your password or a passkey, given within the last five minutes. Without either, sign out and
        in again: that counts, too.
      </ProofSteps>
    </Modal>
  )
}

type Props = { children: string; onProved: () => void; onCancel: () => void }

export function ProofSteps({ children, onProved, onCancel }: Props) {
  const password = useMutation(byPassword)
  const passkey = useMutation(byPasskey)
  return (
    <Stack gap="sm">
      <Text size="sm">{children}</Text>
      <PasswordStep
        action="Continue"
        isPending={password.isPending}
        isWrong={password.isError}
        onSubmit={(values) => password.mutate(values, { onSuccess: onProved })}
        onCancel={onCancel}
      />
      {hasPasskeys() && (
        <Button
          variant="subtle"
          loading={passkey.isPending}
          onClick={() => passkey.mutate(undefined, { onSuccess: onProved })}
        >
          Use a passkey instead
        </Button>
      )}
    </Stack>
  )
}
