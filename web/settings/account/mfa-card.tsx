import { Button, Group, Stack, Modal, Text, CopyButton, PinInput, Skeleton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconShieldCheck, IconShieldOff, IconCheck, IconCopy, IconDownload } from '@tabler/icons-react'
import type * as z from 'zod'
import type { Profile } from '../../../worker/account/contract'
import { plural } from '../../lib/format'
import { Card } from '../../ui/card'
import { Mark } from '../../ui/mark'
import classes from '../settings.module.css'
import { useMutation, useQuery } from '@tanstack/react-query'
import { setMfaMutation, createRecoveryCodesMutation, totpQuery, verifyCodeMutation } from './api'
import { ProofSteps } from '../../layout/proof-dialog'
import { useRef, useState } from 'react'
import { CopyField } from '../../ui/copy-field'
import { FailedState } from '../../ui/failed-state'
import { clockHint } from '../../ui/clock-hint'
import { FocusBack } from '../../ui/focus-back'

export function MfaCard({
  profile: { has_password, mfa_enabled, recovery_codes_left },
}: {
  profile: z.output<typeof Profile>
}) {
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
      <Modal opened={isDisabling} onClose={disabling.close} title="Disable MFA" centered>
        <FocusBack />
        <DisableSteps hasPassword={has_password} onClose={disabling.close} />
      </Modal>
      <RecoveryDialog isOpen={isRenewing} onClose={renewing.close} />
    </Card>
  )
}

function MfaMark({ isOn }: { isOn: boolean }) {
  if (isOn)
    return (
      <Mark tone="calm" icon={IconShieldCheck}>
        On
      </Mark>
    )
  return (
    <Mark tone="quiet" icon={IconShieldOff}>
      Off
    </Mark>
  )
}

type Props = { isOpen: boolean; onClose: () => void }

function MfaEnableDialog({ isOpen, onClose }: Props) {
  const enable = useMutation(setMfaMutation)
  const codes = enable.data?.recovery_codes
  const close = () => {
    onClose()
    enable.reset()
  }
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={codes ? 'Recovery codes' : 'Enable MFA'}
      centered
      closeOnClickOutside={!codes}
      closeOnEscape={!codes}
    >
      <FocusBack />
      {codes ? (
        <RecoveryCodes codes={codes} onClose={close} />
      ) : (
        <TotpSetup
          isPending={enable.isPending}
          onEnable={() => enable.mutate(true, { onSuccess: (reply) => !reply.recovery_codes && close() })}
        />
      )}
    </Modal>
  )
}

type RecoveryDialogProps = { isOpen: boolean; onClose: () => void }

function RecoveryDialog({ isOpen, onClose }: RecoveryDialogProps) {
  const renew = useMutation(createRecoveryCodesMutation)
  const codes = renew.data?.recovery_codes
  const close = () => {
    onClose()
    renew.reset()
  }
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title="Renew recovery codes"
      centered
      closeOnClickOutside={!codes}
      closeOnEscape={!codes}
    >
      <FocusBack />
      {codes ? (
        <RecoveryCodes codes={codes} onClose={close} />
      ) : (
        <Stack gap="sm">
          <Text size="sm">You get ten new codes, and the earlier ones stop working.</Text>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button data-autofocus loading={renew.isPending} onClick={() => renew.mutate()}>
              Renew
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}

/** Without a password the worker asks for another proof. */
function DisableSteps({ hasPassword, onClose }: { hasPassword: boolean; onClose: () => void }) {
  const [isProved, setProved] = useState(!hasPassword)
  const disable = useMutation(setMfaMutation)

  if (!isProved)
    return (
      <ProofSteps onProved={() => setProved(true)} onCancel={onClose}>
        To switch off the second factor, confirm with your password or a passkey, however lately you signed in.
      </ProofSteps>
    )
  return (
    <Stack gap="sm">
      <Text size="sm">
        Your recovery codes stop working, and {hasPassword ? 'your password' : 'your provider'} alone is enough to sign
        in.
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          color="red.9"
          data-autofocus
          loading={disable.isPending}
          onClick={() => disable.mutate(false, { onSuccess: onClose })}
        >
          Disable
        </Button>
      </Group>
    </Stack>
  )
}

type RecoveryCodesProps = { codes: string[]; onClose: () => void }

function RecoveryCodes({ codes, onClose }: RecoveryCodesProps) {
  const text = `${codes.join('\n')}\n`
  return (
    <Stack gap="sm">
      <Text size="sm">
        Store these codes where you can find them without your phone. Each code works once.{' '}
        <strong>They are shown only now.</strong>
      </Text>
      <ul className={classes.codes} aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group gap="xs">
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              size="xs"
              leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
              onClick={copy}
            >
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
        <Button
          component="a"
          variant="default"
          size="xs"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
          download="earshot-recovery-codes.txt"
          leftSection={<IconDownload size={14} aria-hidden />}
        >
          Download
        </Button>
      </Group>
      <Group justify="flex-end">
        <Button onClick={onClose}>I have saved them</Button>
      </Group>
    </Stack>
  )
}

type TotpSetupProps = { isPending: boolean; onEnable: () => void }

function TotpSetup({ isPending, onEnable }: TotpSetupProps) {
  const { data: totp, error, refetch } = useQuery(totpQuery)
  const [code, setCode] = useState('')
  const firstDigit = useRef<HTMLInputElement>(null)
  const verify = useMutation(verifyCodeMutation)

  if (error) return <FailedState error={error} onRetry={() => void refetch()} />
  const isWrong = verify.isError && code === ''
  const startOver = () => {
    setCode('')
    firstDigit.current?.focus()
  }
  const submit = (otp: string) => verify.mutate(otp, { onError: startOver })
  return (
    <Stack gap="sm">
      <Text size="sm">1. Scan this with your authenticator app, or type the key there.</Text>
      {totp ? (
        <img className={classes.qr} src={toImage(totp.svg)} alt="QR code of the key below" />
      ) : (
        <Skeleton height={176} w={176} mx="auto" />
      )}
      {totp ? <CopyField label="Key" value={totp.secret} display={inGroups(totp.secret)} /> : <Skeleton height={52} />}
      <Text size="sm" id="otp-label">
        2. Enter the 6 digits that it shows.
      </Text>
      {totp ? (
        <PinInput
          ref={firstDigit}
          aria-labelledby="otp-label"
          mx="auto"
          length={6}
          type="number"
          placeholder=""
          ariaLabel="Digit of the code"
          autoFocus
          getInputProps={(index) => (index === 0 ? { 'data-autofocus': true } : {})}
          value={code}
          readOnly={verify.isPending || verify.isSuccess}
          success={verify.isSuccess}
          error={isWrong}
          onChange={setCode}
          onComplete={submit}
        />
      ) : (
        <Skeleton height={36} w={276} mx="auto" />
      )}
      <Text size="sm" ta="center" role="status" c={isWrong ? 'var(--alarm)' : 'var(--calm)'} mih="1.4em">
        {verify.isSuccess ? 'The code is right.' : isWrong ? `The code is not right. ${clockHint}` : ''}
      </Text>
      <Group justify="flex-end">
        <Button disabled={!verify.isSuccess} loading={isPending} onClick={onEnable}>
          Enable
        </Button>
      </Group>
    </Stack>
  )
}

/** As an image the SVG cannot run scripts. */
const toImage = (svg: string) => `data:image/svg+xml,${encodeURIComponent(svg)}`
const inGroups = (secret: string) => secret.replace(/(.{4})(?=.)/g, '$1 ')
