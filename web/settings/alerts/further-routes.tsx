import { NativeSelect } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { Fragment } from 'react'
import type { ChannelRow } from '../../../worker/alerts/channels/contract'
import { channelNames, findKind, type ChannelName } from '../../../worker/domain/alerts/alert-rules'
import { channelWords } from '../../alerts/deliveries'
import { useSaving } from '../../lib/saving'
import { WriteButton } from '../../session/write-button'
import { Card } from '../../ui/card'
import { CopyField } from '../../ui/copy-field'
import { Form, FormFoot } from '../../ui/form'
import { createRouteMutation } from './api'
import { ChannelCard } from './channel-card'
import { ChannelFields, readChannelFields } from './channel-fields'
import { RotaCard } from './rota-card'
import { Sample } from './sample'

/** Receivers beside the first of each kind, and of kinds that are no setting. */
export const FurtherRoutes = ({ rows }: { rows: ChannelRow[] }) => (
  <>
    {rows.map((row) => (
      <Fragment key={row.channel}>
        <ChannelCard channel={row} />
        {findKind(row.channel) === 'email' && <RotaCard channel={row} />}
      </Fragment>
    ))}
    <AddRoute />
  </>
)

const emptyRoute = {
  kind: 'slack' as ChannelName,
  name: '',
  url: '',
  apikey: '',
  addresses: [] as string[],
  template: '{\n  "title": "{{title}}",\n  "severity": "{{severity}}",\n  "link": "{{link}}"\n}',
}

function AddRoute() {
  const [isOpen, adding] = useDisclosure(false)
  const form = useForm({ initialValues: emptyRoute })
  const { kind, template } = form.values
  const close = () => {
    form.reset()
    if (kind !== 'webhook') adding.close()
  }
  const { isPending, data, save } = useSaving(createRouteMutation, close, form)
  if (!isOpen)
    return (
      <WriteButton onClick={adding.open} style={{ alignSelf: 'flex-start' }}>
        Add a receiver
      </WriteButton>
    )
  return (
    <Card title="Add a receiver">
      <Form onSubmit={form.onSubmit((values) => save({ kind, ...readChannelFields(kind, values) }))}>
        <NativeSelect
          label="Kind"
          autoFocus
          description="Once it is added, its rules say what it tells of, and when: at first of all new and changed vulnerabilities."
          data={channelNames.map((value) => ({ value, label: channelWords[value] }))}
          {...form.getInputProps('kind')}
        />
        <ChannelFields form={form} kind={kind} />
        <Sample kind={kind} template={template} />
        {data?.key && <CopyField label="Signing key, shown only now" value={data.key} />}
        <FormFoot action="Add" isPending={isPending} onClose={adding.close} />
      </Form>
    </Card>
  )
}
