import { Group, NativeSelect, Skeleton, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { ChannelRow } from '../../../worker/alerts/channels/contract'
import type { RotaTurn, RotaView } from '../../../worker/alerts/rota/contract'
import type { RouteName } from '../../../worker/domain/alerts/alert-rules'
import { formatDateTime } from '../../lib/format'
import { fromWallClock } from '../../lib/zone'
import { Card } from '../../ui/card'
import { ConfirmButton } from '../../ui/confirm-dialog'
import { FailedState } from '../../ui/failed-state'
import { Timestamp } from '../../ui/timestamp'
import { useSaving } from '../../lib/saving'
import { Form, FormFoot } from '../../ui/form'
import settings from '../settings.module.css'
import classes from './alerting.module.css'
import { removeRotaMutation, rotaQuery, swapMutation } from './api'
import { titleChannel } from './channel-fields'
import { labelMember, RotaForm } from './rota-form'
import { WriteButton } from '../../session/write-button'
import { useReadOnly } from '../../session/known-org'

/** Members who get the mails of a further receiver, a week each. */
export function RotaCard({ channel }: { channel: ChannelRow }) {
  const route = channel.channel
  const { data: view, error, refetch } = useQuery(rotaQuery(route))
  const [isEditing, editing] = useDisclosure(false)
  return (
    <Card title={`On duty for ${titleChannel(channel)}`}>
      <FailedState query={{ error, refetch }} />
      {!view && !error && <Skeleton height={80} />}
      {view && !isEditing && <Shown route={route} view={view} onEdit={editing.open} />}
      {view && isEditing && <RotaForm route={route} view={view} onDone={editing.close} />}
    </Card>
  )
}

type ShownProps = { route: RouteName; view: RotaView; onEdit: () => void }

function Shown({ route, view, onEdit }: ShownProps) {
  if (!view.rota)
    return (
      <Stack align="flex-start">
        <p className={classes.told}>
          Mails of this receiver go to its addresses. With a rota they go to the member on duty, a week each. Switch off
          its rules where it is to get only what nobody acknowledged elsewhere.
        </p>
        <WriteButton onClick={onEdit}>Make a rota</WriteButton>
      </Stack>
    )
  return (
    <Stack>
      <OnDuty view={view} />
      <Turns route={route} view={view} />
      <SpanForm route={route} view={view} />
      <Group justify="flex-end">
        <ConfirmButton
          label="End the rota"
          title="End the rota?"
          action="End the rota"
          change={removeRotaMutation}
          given={route}
        >
          Mails of this receiver go to {view.addresses.join(', ')} again, and its swaps are forgotten.
        </ConfirmButton>
        <WriteButton onClick={onEdit}>Change the rota</WriteButton>
      </Group>
    </Stack>
  )
}

function OnDuty({ view: { on_duty, turns, addresses } }: { view: RotaView }) {
  const [first] = turns
  if (on_duty && first)
    return (
      <p>
        Now: <strong>{on_duty.name}</strong>, until <Timestamp at={first.to} withTime />
      </p>
    )
  return (
    <p className={classes.health} role="note">
      Nobody is on duty now. Mails go to {addresses.join(', ')} and say so.
    </p>
  )
}

function Turns({ route, view }: { route: RouteName; view: RotaView }) {
  const last = view.turns.at(-1)?.to ?? ''
  const later = view.rota?.swaps.filter(({ from }) => from >= last) ?? []
  return (
    <ul className={settings.list} aria-label="Turns">
      {[...view.turns, ...later.map((swap) => toTurn(swap, view))].map((turn) => (
        <TurnRow key={`${turn.from} ${turn.to}`} route={route} view={view} turn={turn} />
      ))}
    </ul>
  )
}

const toTurn = ({ user_id, from, to }: { user_id: number; from: string; to: string }, { members }: RotaView) => {
  const person = members.find(({ id }) => id === user_id) ?? null
  return { from, to, person, usual: null }
}

type RowProps = { route: RouteName; view: RotaView; turn: RotaTurn }

/** Choosing somebody else is a swap. */
function TurnRow({ route, view: { members }, turn }: RowProps) {
  const { mutate, isPending } = useMutation(swapMutation)
  const { from, to, person, usual } = turn
  const choose = (value: string) => {
    const user_id = value === '' || Number(value) === usual?.id ? null : Number(value)
    mutate({ route, span: { from, to, user_id } })
  }
  const isSwapped = person !== null && person.id !== usual?.id
  const others = members.filter(({ id, is_reachable }) => is_reachable && id !== usual?.id)
  return (
    <li className={settings.item}>
      <span>
        <Timestamp at={from} withTime /> to <Timestamp at={to} withTime />
        {isSwapped && usual && <span className={classes.health}>instead of {usual.name}</span>}
      </span>
      <NativeSelect
        aria-label={`On duty from ${formatDateTime(from)}`}
        value={isSwapped ? String(person.id) : ''}
        disabled={isPending}
        {...useReadOnly()}
        className={classes.person}
        onChange={(event) => choose(event.currentTarget.value)}
        data={[
          { value: '', label: usual?.name ?? 'By the weeks' },
          ...others.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
      />
    </li>
  )
}

const emptySpan = { user_id: '', from: '', to: '' }

/** Times are of the reader's clock. */
function SpanForm({ route, view: { members } }: { route: RouteName; view: RotaView }) {
  const [isOpen, span] = useDisclosure(false)
  const form = useForm({
    initialValues: emptySpan,
    validate: {
      user_id: (value) => (value ? null : 'Choose somebody'),
      from: (value) => (value ? null : 'Required'),
      to: (value, { from }) => (value > from ? null : 'It must end after it begins'),
    },
  })
  const close = () => {
    form.reset()
    span.close()
  }
  const saving = useSaving(swapMutation, close, form)
  const submit = form.onSubmit(({ user_id, from, to }) => {
    const chosen = { user_id: Number(user_id), from: fromWallClock(from) ?? '', to: fromWallClock(to) ?? '' }
    saving.save({ route, span: chosen })
  })
  if (!isOpen)
    return (
      <WriteButton variant="subtle" size="xs" onClick={span.open} style={{ alignSelf: 'flex-start' }}>
        Somebody else for a span
      </WriteButton>
    )
  return (
    <Form onSubmit={submit}>
      <NativeSelect
        label="Who"
        data={[{ value: '', label: 'Choose' }, ...members.map(labelMember)]}
        {...form.getInputProps('user_id')}
      />
      <div className={classes.limits}>
        <TextInput label="From" type="datetime-local" {...form.getInputProps('from')} />
        <TextInput label="To" type="datetime-local" {...form.getInputProps('to')} />
      </div>
      <FormFoot action="Swap" isPending={saving.isPending} onClose={span.close} />
    </Form>
  )
}
