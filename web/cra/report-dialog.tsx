import { Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { CraMark } from '../../worker/domain/decisions/cra'
import { useSaving } from '../lib/saving'
import { FormDialog } from '../ui/form-dialog'
import { markNames, noteReportMutation } from './api'
import { fromField, nameZone, toField, useNow } from './times'

type Props = { id: number; mark: CraMark; given?: { done_at: string; note: string } | undefined; onClose: () => void }

export function ReportDialog({ id, mark, given, onClose }: Props) {
  const now = useNow()
  const form = useForm({
    initialValues: { done_at: toField(given?.done_at ?? now.toISOString()), note: given?.note ?? '' },
    validate: {
      done_at: (text: string) => (fromField(text) ? null : 'Enter a day and a time'),
      note: (text: string) => (mark === 'not_needed' && !text.trim() ? 'Say why no report is needed' : null),
    },
  })
  const saving = useSaving(noteReportMutation, onClose, form)
  const isReport = mark !== 'not_needed'
  return (
    <FormDialog
      title={isReport ? `${markNames[mark]}: made` : 'No report needed'}
      isPending={saving.isPending}
      onSubmit={form.onSubmit(({ done_at, note }) =>
        saving.save({ id, mark, done_at: fromField(done_at) ?? '', note }),
      )}
      onClose={onClose}
    >
      <TextInput
        type="datetime-local"
        label={isReport ? 'Reported at' : 'Decided at'}
        description={`In your time zone, ${nameZone(now)}`}
        {...form.getInputProps('done_at')}
      />
      <Textarea
        label={isReport ? 'Note' : 'Why'}
        description={isReport ? 'To whom, and under which number' : 'It closes the clock, and stands in the evidence'}
        autosize
        minRows={3}
        data-autofocus
        {...form.getInputProps('note')}
      />
    </FormDialog>
  )
}
