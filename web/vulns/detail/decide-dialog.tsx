import { Button, Group, Modal, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { StatusChange } from '../../../worker/decisions/decide-contract'
import { saveSnoozeMutation } from '../../alerts/snooze-api'
import { useAccess } from '../../session/access'
import { formErrors } from '../../lib/form-rules'
import { setStatusMutation } from './api'
import { EventFields, JustificationField, MemberField, TeamField } from './decide-fields'
import {
  choices,
  freeChoices,
  isQuietChoice,
  decisionChoices,
  toForm,
  toFormErrors,
  toSnooze,
  toStatus,
  usualEvents,
} from './decide-form'
import type { DecisionChoice } from './decide-form'
import { useFocusBack } from '../../ui/focus-back'

type Props = { id: number; stated: StatusChange | undefined; choice: DecisionChoice; onClose: () => void }

export function DecideDialog({ id, stated, choice: first, onClose }: Props) {
  useFocusBack()
  const mayAccept = useAccess()('manageMetadata')
  const status = useMutation(setStatusMutation)
  const snooze = useMutation(saveSnoozeMutation(id))
  const form = useForm({ initialValues: toForm(stated, first) })
  const { choice } = form.values
  const choose = (value: string) => {
    const chosen = decisionChoices.find((one) => one === value) ?? choice
    form.setValues({ choice: chosen, ...usualEvents(chosen) })
  }
  const after = { onSuccess: onClose, onError: (error: Error) => form.setErrors(toFormErrors(formErrors(error))) }
  const submit = form.onSubmit((values) =>
    isQuietChoice(choice)
      ? snooze.mutate(toSnooze(choice, values), after)
      : status.mutate({ id, ...toStatus(choice, values) }, after),
  )
  return (
    <Modal opened onClose={onClose} title={`Decide on PH-${id}`} centered>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <NativeSelect
            label="Your decision"
            data={mayAccept ? choices : freeChoices}
            data-autofocus
            value={choice}
            onChange={({ currentTarget: { value } }) => choose(value)}
          />
          {choice !== 'undefined' && <Details form={form} choice={choice} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={status.isPending || snooze.isPending}>
              Decide
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

const untilWords = {
  snoozed: 'A day, or what is chosen below',
  accepted: 'The last day on which the risk is accepted',
  status: 'After that the vulnerability has no status',
}

type DetailProps = Parameters<typeof EventFields>[0] & { choice: DecisionChoice }

function Details({ form, choice }: DetailProps) {
  const isAccepted = choice === 'accepted'
  return (
    <>
      {choice === 'not_interesting' && <JustificationField form={form} />}
      <Textarea
        label="Reason"
        withAsterisk={isAccepted}
        autosize
        minRows={2}
        maxLength={1_000}
        {...form.getInputProps('reason')}
      />
      {isAccepted && <MemberField form={form} />}
      {!isQuietChoice(choice) && <TeamField form={form} />}
      <TextInput
        type="date"
        label="Until"
        description={untilWords[isQuietChoice(choice) ? choice : 'status']}
        withAsterisk={isAccepted}
        {...form.getInputProps('until')}
      />
      {isQuietChoice(choice) && <EventFields form={form} />}
    </>
  )
}
