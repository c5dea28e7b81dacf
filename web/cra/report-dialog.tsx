import { Checkbox, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { CraMark } from '../../worker/domain/decisions/cra'
import type { CraClock } from '../../worker/cra/contract'
import { useSaving } from '../lib/saving'
import { FormDialog } from '../ui/form-dialog'
import { editClockMutation, markNames, noteReportMutation } from './api'
import { fromField, nameZone, toField, useNow } from './times'

type Props = { id: number; mark: CraMark; onClose: () => void }

export function ReportDialog({ id, mark, onClose }: Props) {
  const now = useNow()
  const form = useForm({
    initialValues: { done_at: toField(now.toISOString()), note: '' },
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

type TimesDialogProps = { clock: CraClock; onClose: () => void }

export function TimesDialog({ clock, onClose }: TimesDialogProps) {
  const now = useNow()
  const form = useForm({
    initialValues: {
      aware_at: toField(clock.aware_at),
      has_fix: clock.fix_at !== null,
      fix_at: toField(clock.fix_at ?? now.toISOString()),
    },
    validate: {
      aware_at: (text: string) => (fromField(text) ? null : 'Enter a day and a time'),
      fix_at: (text: string, { has_fix }) => (!has_fix || fromField(text) ? null : 'Enter a day and a time'),
    },
  })
  const saving = useSaving(editClockMutation, onClose, form)
  const { initialValues, values } = { initialValues: form.getInitialValues(), values: form.values }
  const isSame = values.has_fix === initialValues.has_fix && (!values.has_fix || values.fix_at === initialValues.fix_at)
  const save = () => {
    // A field shows minutes: an untouched time keeps its seconds.
    const aware_at = values.aware_at === initialValues.aware_at ? clock.aware_at : (fromField(values.aware_at) ?? '')
    const fix_at = values.has_fix ? (fromField(values.fix_at) ?? '') : null
    saving.save({ id: clock.vuln_id, aware_at, ...(!isSame && { fix_at }) })
  }
  return (
    <FormDialog
      title="Times that the deadlines count from"
      isPending={saving.isPending}
      onSubmit={form.onSubmit(save)}
      onClose={onClose}
    >
      <TextInput
        type="datetime-local"
        label="You became aware at"
        description={`Early warning and notification count from it. In your time zone, ${nameZone(now)}`}
        data-autofocus
        {...form.getInputProps('aware_at')}
      />
      <Checkbox
        label="A fix or another measure is available"
        description="The final report is due 14 days after it"
        {...form.getInputProps('has_fix', { type: 'checkbox' })}
      />
      {values.has_fix && <TextInput type="datetime-local" label="Available since" {...form.getInputProps('fix_at')} />}
    </FormDialog>
  )
}
