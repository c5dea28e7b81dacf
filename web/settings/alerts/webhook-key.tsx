import { Button, Group } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ChannelRow } from '../../../worker/alerts/channels/contract'
import { CopyField } from '../../ui/copy-field'
import { Timestamp } from '../../ui/timestamp'
import classes from './alerting.module.css'
import { renewKeyMutation } from './api'

export function WebhookKey({ channel: { signing }, made }: { channel: ChannelRow; made: string | undefined }) {
  const renewing = useMutation(renewKeyMutation)
  const key = renewing.data?.key ?? made
  if (!signing) return <p className={classes.health}>When you save, a signing key is made and shown once.</p>
  return (
    <>
      {key && <CopyField label="Signing key, shown only now" value={key} />}
      {renewing.data && (
        <p className={classes.health}>
          <span>
            The former key is also valid until <Timestamp at={renewing.data.old_key_until} withTime />.
          </span>
        </p>
      )}
      <Group gap="xs">
        <Button variant="default" size="xs" loading={renewing.isPending} onClick={() => renewing.mutate('hmac')}>
          New secret (HMAC)
        </Button>
        <Button variant="default" size="xs" loading={renewing.isPending} onClick={() => renewing.mutate('ed25519')}>
          New key pair (ed25519)
        </Button>
      </Group>
    </>
  )
}
