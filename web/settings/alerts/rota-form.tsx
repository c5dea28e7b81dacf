import { MultiSelect, TextInput } from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import type { RotaView } from '../../../worker/alerts/rota/contract'
import type { RouteName } from '../../../worker/domain/alerts/alert-rules'
import { formatDate } from '../../lib/format'
import { findShownZone } from '../../lib/zone'
import { pickChanged, useSaving } from '../../lib/saving'
import { Form, FormFoot } from '../../ui/form'
import classes from './alerting.module.css'
import { setRotaMutation } from './api'
import { HourField, ZoneField } from './times'

export const labelMember = ({ id, name, is_reachable }: RotaView['members'][number]) => ({
  value: String(id),
  label: is_reachable ? name : `${name} (is skipped: no confirmed address, or left)`,
})

type Props = { route: RouteName; view: RotaView; onDone: () => void }

/** The order, and when a week begins. */
export function RotaForm({ route, view: { rota, members }, onDone }: Props) {
  const form = useForm({
    initialValues: pickFields(rota),
    validate: {
      people: (value) => (value.length ? null : 'Choose somebody'),
      starts_on: (value) => (value ? null : 'Choose a day'),
    },
  })
  const saving = useSaving(setRotaMutation, onDone, form)
  const submit = form.onSubmit((values) => {
    const { people, hour, ...weeks } = rota ? pickChanged(form, values) : values
    saving.save({
      route,
      change: { ...weeks, ...(people && { people: people.map(Number) }), ...(hour && { hour: Number(hour) }) },
    })
  })
  return (
    <Form onSubmit={submit}>
      <MultiSelect
        label="Members"
        description="A week each, in the order in which you choose them."
        data={members.map(labelMember)}
        searchable
        {...form.getInputProps('people')}
      />
      <WeekFields form={form} />
      <FormFoot isPending={saving.isPending} onClose={onDone} />
    </Form>
  )
}

const pickFields = (rota: RotaView['rota']) => ({
  people: (rota?.people ?? []).map((id) => `${id}`),
  zone: rota?.zone ?? findShownZone(),
  starts_on: rota?.starts_on ?? formatDate(new Date().toISOString()),
  hour: `${rota?.hour ?? 8}`,
})

type Week = { starts_on: string; hour: string; zone: string }

const WeekFields = <Values extends Week>({ form }: { form: UseFormReturnType<Values> }) => (
  <div className={classes.limits}>
    <TextInput
      label="Begins on"
      description="Each week changes on this day"
      type="date"
      {...form.getInputProps('starts_on')}
    />
    <HourField label="Hour" description="Of the change" {...form.getInputProps('hour')} />
    <ZoneField description="Of day and hour" {...form.getInputProps('zone')} />
  </div>
)
