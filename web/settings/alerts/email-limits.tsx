import { Button, Group, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ComponentProps } from 'react'
import type { ChannelRow } from '../../../worker/alerts/channels/contract'
import { useSaving } from '../../lib/saving'
import classes from './alerting.module.css'
import { updateChannelMutation } from './api'
import { BackTestButton } from './back-test'
import { Limits, pickLimits } from './limits'
import { Sample } from './sample'

type Props = { channel: ChannelRow } & ComponentProps<typeof BackTestButton>

export function EmailLimits({ channel, rules }: Props) {
  const form = useForm({ initialValues: pickLimits(channel) })
  const saving = useSaving(updateChannelMutation, undefined, form)
  const submit = form.onSubmit((values) =>
    saving.save({ channel: 'email', change: { ...values, min_score: values.min_score || 0 } }),
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md" component="fieldset" className={classes.part}>
        <legend>Limits for e-mail alerts</legend>
        <Limits form={form} />
        <Sample kind="email" route={channel.is_configured ? 'email' : undefined} />
        <Group justify="space-between" gap="xs" align="flex-start">
          <BackTestButton rules={() => ({ ...rules(), ...form.values, min_score: form.values.min_score || 0 })} />
          <Button type="submit" variant="default" loading={saving.isPending}>
            Save the limits
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
