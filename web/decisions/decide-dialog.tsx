import '@mantine/core/styles/NumberInput.css'
import { Button, Checkbox, NativeSelect, NumberInput, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { vexJustifications } from '../../worker/domain/decisions/vex'
import { useAccess } from '../session/access'
import { FormDialog } from '../ui/form-dialog'
import { assigneesQuery, decideMutation, decisionSettingsQuery } from './api'
import {
  decisionChoices,
  isQuietChoice,
  listChoices,
  toDecision,
  toForm,
  toFormErrors,
  usualEvents,
} from './decide-form'
import type { DecideForm, DecisionChoice, Subject } from './decide-form'
import { reasonWords } from '../lib/vex-words'
import { useSession } from '../session/session'
import { FailedLine } from '../ui/failed-line'

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
    const chosen = decisionChoices.find((known) => known === value) ?? choice
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
          <Button disabled={decision.isPending} onClick={() => send({ scope: 'component', ...about, decision: null })}>
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

type JustificationFieldProps = { form: UseFormReturnType<DecideForm> }

const justifications = vexJustifications.map((value) => ({ value, label: reasonWords[value] }))

const JustificationField = ({ form, isOptional = false }: JustificationFieldProps & { isOptional?: boolean }) => (
  <NativeSelect
    label="Justification"
    description="With a justification, VEX documents state that you are not affected."
    withAsterisk={!isOptional}
    data={[{ value: '', label: isOptional ? 'None' : 'Choose one' }, ...justifications]}
    {...form.getInputProps('justification')}
  />
)

const happenings = [
  ['on_fix', 'A fix is published'],
  ['on_kev', 'CISA lists it as exploited (KEV)'],
  ['on_exploit', 'An exploit is seen'],
] as const

const epssChoices = [
  { value: 'percentile', label: 'Percentile: its rank among all vulnerabilities' },
  { value: 'probability', label: 'Probability of exploitation within 30 days' },
]

const epssLimits = {
  percentile: {
    label: 'EPSS is higher than that of',
    description: 'Of 100 vulnerabilities: 95 means the highest twentieth. Leave empty to ignore EPSS.',
    max: 100,
  },
  probability: {
    label: 'EPSS is above',
    description: 'From 0 to 1. It means something else once FIRST changes its model. Leave empty to ignore EPSS.',
    max: 1,
    step: 0.05,
  },
}

const EventFields = ({ form }: JustificationFieldProps) => (
  <>
    <Stack gap={6} role="group" aria-label="Or until one of these happens">
      <Text size="sm" fw={500}>
        Or until one of these happens
      </Text>
      {happenings.map(([name, label]) => (
        <Checkbox key={name} label={label} {...form.getInputProps(name, { type: 'checkbox' })} />
      ))}
    </Stack>
    <NativeSelect label="EPSS is measured by" data={epssChoices} {...form.getInputProps('epss_by')} />
    <NumberInput min={0} {...epssLimits[form.values.epss_by]} {...form.getInputProps('epss_above')} />
  </>
)

const FixField = ({ form }: JustificationFieldProps) => (
  <TextInput
    label="Upgrade to"
    description="The version you will upgrade to. It is part of the VEX document."
    maxLength={100}
    {...form.getInputProps('fix')}
  />
)

const TeamField = ({ form }: JustificationFieldProps) => (
  <TextInput label="Owner" description="A person or team" maxLength={100} {...form.getInputProps('owner')} />
)

function MemberField({ form }: JustificationFieldProps) {
  const { user } = useSession()
  const members = useQuery(assigneesQuery)
  const others = (members.data?.results ?? []).filter(({ id }) => id !== user?.id)
  if (!user) return null
  return (
    <>
      <Select
        label="Owner"
        description="The person responsible for the risk"
        placeholder={`${user.username} (you)`}
        data={others.map(({ id, name }) => ({ value: String(id), label: name }))}
        disabled={!others.length}
        clearable
        {...form.getInputProps('owner_id')}
      />
      <FailedLine text="The members could not be loaded." query={members} />
    </>
  )
}
