import { Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { checkPassword } from '../../worker/account/contract'
import { act } from '../lib/ask'
import { call } from '../lib/call'
import { hasPasskeys, provePasskeyAgain } from '../session/passkey'
import { answerProof, useProofAsked } from '../session/proof'
import { Form, FormFoot } from '../ui/form'
import { ChangeButton } from '../ui/label-button'
import { formRules } from '../lib/form-rules'
import { useForm } from '@mantine/form'
import { PasswordField } from '../ui/password-field'

const byPassword = act((password: string) => call(checkPassword, { body: { password } }), {
  failure: 'Invalid Password',
})
const byPasskey = act(provePasskeyAgain, {
  failure: (error: Error) => (error.name === 'NotAllowedError' ? 'No passkey was used' : error.message),
})

export function ProofDialog() {
  const isAsked = useProofAsked()
  return (
    <Modal opened={isAsked} onClose={() => answerProof(false)} title="Confirm that it is you" zIndex={400}>
      <ProofSteps onProved={() => answerProof(true)} onCancel={() => answerProof(false)}>
        This action needs your password or a passkey, given within the last five minutes. Without either, sign out and
        in again: that counts, too.
      </ProofSteps>
    </Modal>
  )
}

type Props = { children: string; onProved: () => void; onCancel: () => void }

export function ProofSteps({ children, onProved, onCancel }: Props) {
  const form = useForm({ initialValues: { password: '' }, validate: formRules(checkPassword) })
  const { isPending, isError, mutate } = useMutation(byPassword)
  return (
    <Stack>
      <Text size="sm">{children}</Text>
      <Form onSubmit={form.onSubmit(({ password }) => mutate(password, { onSuccess: onProved }))}>
        <PasswordField
          label="Your password"
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps('password')}
          error={form.errors.password ?? isError}
        />
        <FormFoot action="Continue" isPending={isPending} onClose={onCancel} />
      </Form>
      {hasPasskeys() && (
        <ChangeButton
          variant="subtle"
          label="Use a passkey instead"
          change={byPasskey}
          given={undefined}
          onDone={onProved}
        />
      )}
    </Stack>
  )
}
