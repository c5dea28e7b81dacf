import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { formErrors } from '../../lib/form-rules'
import { useSaving } from '../../lib/saving'
import { FormDialog } from '../../ui/form-dialog'
import { sendDetailsMutation } from './api'

type Props = { id: number; onClose: () => void }

export function SendDialog({ id, onClose }: Props) {
  const [emails, setEmails] = useState('')
  const { error, isPending, save } = useSaving(sendDetailsMutation, onClose)
  return (
    <FormDialog
      title="Send details by mail"
      action="Send"
      isPending={isPending}
      isReady={emails.trim() !== ''}
      onSubmit={() => save({ id, emails })}
      onClose={onClose}
    >
      <Textarea
        label="E-mail addresses"
        description="Separated by commas or one per line, maximum 10"
        autosize
        minRows={3}
        maxRows={10}
        data-autofocus
        value={emails}
        error={error && formErrors(error).emails}
        onChange={({ currentTarget }) => setEmails(currentTarget.value)}
      />
    </FormDialog>
  )
}
