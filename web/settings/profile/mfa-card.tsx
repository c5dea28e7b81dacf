import { Button, Group, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconShieldCheck, IconShieldOff } from '@tabler/icons-react'
import type { z } from 'zod'
import type { Profile } from '../../../worker/account/contract'
import { plural } from '../../lib/format'
import { Card } from '../../ui/card'
import { Mark } from '../../ui/mark'
import classes from '../settings.module.css'
import { MfaDisableDialog } from './mfa-disable-dialog'
import { MfaEnableDialog } from './mfa-enable-dialog'
import { RecoveryDialog } from './recovery-dialog'

export function MfaCard({ profile: { mfa_enabled, recovery_codes_left } }: { profile: z.output<typeof Profile> }) {
  const [isEnabling, enabling] = useDisclosure(false)
  const [isDisabling, disabling] = useDisclosure(false)
  const [isRenewing, renewing] = useDisclosure(false)

  return (
    <Card title="Second factor (MFA)" aside={<MfaMark isOn={mfa_enabled} />}>
      <Stack gap="sm">
        <p className={classes.note}>
          {mfa_enabled
            ? 'Signing in asks for a code of your authenticator app after the password.'
            : 'Protect your account with a code of an authenticator app, asked for after the password.'}
        </p>
        {mfa_enabled && (
          <Group justify="space-between" gap="xs" wrap="nowrap">
            <span className={recovery_codes_left < 3 ? classes.problem : undefined}>
              {plural(recovery_codes_left, 'recovery code')} left
            </span>
            <Button variant="default" size="xs" onClick={renewing.open}>
              Renew recovery codes
            </Button>
          </Group>
        )}
        <Group justify="flex-end">
          {mfa_enabled ? (
            <Button variant="default" onClick={disabling.open}>
              Disable MFA
            </Button>
          ) : (
            <Button onClick={enabling.open}>Enable MFA</Button>
          )}
        </Group>
      </Stack>
      <MfaEnableDialog isOpen={isEnabling} onClose={enabling.close} />
      <MfaDisableDialog isOpen={isDisabling} onClose={disabling.close} />
      <RecoveryDialog isOpen={isRenewing} onClose={renewing.close} />
    </Card>
  )
}

function MfaMark({ isOn }: { isOn: boolean }) {
  if (isOn)
    return (
      <Mark tone="calm" icon={<IconShieldCheck size={14} aria-hidden />}>
        On
      </Mark>
    )
  return (
    <Mark tone="quiet" icon={<IconShieldOff size={14} aria-hidden />}>
      Off
    </Mark>
  )
}
