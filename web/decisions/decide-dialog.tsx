import { Button, NativeSelect, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useAccess } from '../session/access'
import { FormDialog } from '../ui/form-dialog'
import { decideMutation, decisionSettingsQuery } from './api'
import { EventFields, FixField, JustificationField, MemberField, TeamField } from './decide-fields'
import {
  decisionChoices,
  isQuietChoice,
  listChoices,
  toDecision,
  toForm,
  toFormErrors,
  usualEvents,
} from './decide-form'
import type { Subject, DecideForm, DecisionChoice } from './decide-form'

type Props = {
  title: string
  about: Subject
  choice: DecisionChoice
  /** The former decision. */
  given?: Parameters<typeof toForm>[1]
  /** Findings are open again without a decision. */
  canWithdraw?: boolean
  /** Content above the fields, which may fill them. */
  renderLead?: (fill: (values: DecideForm) => void) => ReactNode
  onClose: () => void
}

export function DecideDialog({ title, about, choice: first, given, canWithdraw, renderLead, onClose }: Props) {
  const mayAccept = useAccess()('manageMetadata')
  const decision = useMutation(decideMutation)
  const form = useForm({ initialValues: toForm(first, given) })
  const { choice } = form.values
  const choose = (value: string) => {
    const chosen = decisionChoices.find((one) => one === value) ?? choice
    form.setValues({ choice: chosen, ...usualEvents(chosen) })
  }
  const send = (made: Parameters<typeof decision.mutate>[0]) =>
    decision.mutate(made, { onSuccess: onClose, onError: (error) => form.setErrors(toFormErrors(error)) })
  return (
    <FormDialog
      title={title}
      action="Decide"
      isPending={decision.isPending}
      also={
        canWithdraw &&
        'findings' in about && (
          <Button
            variant="default"
            disabled={decision.isPending}
            onClick={() => send({ scope: 'component', ...about, decision: null })}
          >
            Withdraw
          </Button>
        )
      }
      onSubmit={form.onSubmit((values) => send(toDecision(about, values)))}
      onClose={onClose}
    >
      {renderLead?.(form.setValues)}
      <NativeSelect
        label="Your decision"
        data={listChoices(about, mayAccept)}
        data-autofocus
        value={choice}
        onChange={({ currentTarget: { value } }) => choose(value)}
      />
      {choice !== 'undefined' && <Details form={form} choice={choice} />}
    </FormDialog>
  )
}

const untilWords = {
  snoozed: 'A day, or what is chosen below',
  accepted: 'From this day on the risk is not accepted any more',
  other: 'After that nothing is decided any more',
}

type DetailProps = Parameters<typeof EventFields>[0] & { choice: DecisionChoice }

function Details({ form, choice }: DetailProps) {
  const isAccepted = choice === 'accepted'
  const settings = useQuery({ ...decisionSettingsQuery, enabled: isAccepted })
  return (
    <>
      {isAccepted && settings.data?.needs_approver && (
        <Text size="sm">Nothing is paused before another manager approves it.</Text>
      )}
      {choice === 'not_interesting' && <JustificationField form={form} isOptional />}
      {choice === 'not_affected' && <JustificationField form={form} />}
      {choice === 'affected' && <FixField form={form} />}
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
        description={untilWords[isQuietChoice(choice) ? choice : 'other']}
        withAsterisk={isAccepted}
        {...form.getInputProps('until')}
      />
      {isQuietChoice(choice) && <EventFields form={form} />}
    </>
  )
}
