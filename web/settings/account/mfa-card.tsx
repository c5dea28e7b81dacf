import { Button, Group, Modal, PinInput, Skeleton, Stack, Text } from '@mantine/core'
import { IconDownload, IconShieldCheck, IconShieldOff } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState, type ReactNode } from 'react'
import type * as z from 'zod'
import type { Profile } from '../../../worker/account/contract'
import { ProofSteps } from '../../layout/proof-dialog'
import { plural } from '../../lib/format'
import { useSaving } from '../../lib/saving'
import { Card } from '../../ui/card'
import { clockHint } from '../../ui/clock-hint'
import { CopyField, CopyValue } from '../../ui/copy-field'
import { FailedState } from '../../ui/failed-state'
import { useFocusBack } from '../../ui/focus-back'
import { FormFoot } from '../../ui/form'
import { Mark } from '../../ui/mark'
import classes from '../settings.module.css'
import { createRecoveryCodesMutation, setMfaMutation, totpQuery, verifyCodeMutation } from './api'

const marks = {
  on: { tone: 'calm', icon: IconShieldCheck, children: 'On' },
  off: { tone: 'quiet', icon: IconShieldOff, children: 'Off' },
} as const
const dialogs = { enable: EnableDialog, disable: DisableDialog, renew: RecoveryDialog }

type Props = { profile: z.output<typeof Profile> }

export function MfaCard({ profile: { has_password, mfa_enabled, recovery_codes_left } }: Props) {
  const [open, setOpen] = useState<keyof typeof dialogs>()
  const Dialog = open && dialogs[open]
  return (
    <Card title="Second factor (MFA)" aside={<Mark {...marks[mfa_enabled ? 'on' : 'off']} />}>
      <Stack>
        <p className={classes.note}>
          {mfa_enabled
            ? 'Signing in asks for a code of your authenticator app after the password.'
            : 'Protect your account with a code of an authenticator app, asked for after the password.'}
        </p>
        {mfa_enabled && (
          <Group justify="space-between" wrap="nowrap">
            <span className={recovery_codes_left < 3 ? classes.problem : undefined}>
              {plural(recovery_codes_left, 'recovery code')} left
            </span>
            <Button size="xs" onClick={() => setOpen('renew')}>
              Renew recovery codes
            </Button>
          </Group>
        )}
        <Group justify="flex-end">
          {mfa_enabled ? (
            <Button onClick={() => setOpen('disable')}>Disable MFA</Button>
          ) : (
            <Button variant="filled" onClick={() => setOpen('enable')}>
              Enable MFA
            </Button>
          )}
        </Group>
      </Stack>
      {Dialog && <Dialog hasPassword={has_password} onClose={() => setOpen(undefined)} />}
    </Card>
  )
}

type DialogProps = { hasPassword: boolean; onClose: () => void }

function EnableDialog({ onClose }: DialogProps) {
  const { isPending, data, save } = useSaving(setMfaMutation, (reply) => !reply.recovery_codes && onClose())
  const codes = data?.recovery_codes
  return (
    <CodesDialog title={codes ? 'Recovery codes' : 'Enable MFA'} codes={codes} onClose={onClose}>
      <TotpSetup isPending={isPending} onEnable={() => save(true)} />
    </CodesDialog>
  )
}

function RecoveryDialog({ onClose }: DialogProps) {
  const { isPending, data, save } = useSaving(createRecoveryCodesMutation)
  return (
    <CodesDialog title="Renew recovery codes" codes={data?.recovery_codes} onClose={onClose}>
      <Stack>
        <Text size="sm">You get ten new codes, and the earlier ones stop working.</Text>
        <FormFoot action="Renew" focused="action" isPending={isPending} onPress={save} onClose={onClose} />
      </Stack>
    </CodesDialog>
  )
}

/** Without a password the worker asks for another proof. */
function DisableDialog({ hasPassword, onClose }: DialogProps) {
  const [isProved, setProved] = useState(!hasPassword)
  const { isPending, save } = useSaving(setMfaMutation, onClose)
  return (
    <CodesDialog title="Disable MFA" onClose={onClose}>
      {isProved ? (
        <Stack>
          <Text size="sm">
            Your recovery codes stop working, and {hasPassword ? 'your password' : 'your provider'} alone is enough to
            sign in.
          </Text>
          <FormFoot
            action="Disable"
            color="red.9"
            focused="action"
            isPending={isPending}
            onPress={() => save(false)}
            onClose={onClose}
          />
        </Stack>
      ) : (
        <ProofSteps onProved={() => setProved(true)} onCancel={onClose}>
          To switch off the second factor, confirm with your password or a passkey, however lately you signed in.
        </ProofSteps>
      )}
    </CodesDialog>
  )
}

type CodesProps = { title: string; codes?: string[] | undefined; onClose: () => void; children: ReactNode }

/** In the end it shows `codes`, once: no press beside it loses them. */
function CodesDialog({ title, codes, onClose, children }: CodesProps) {
  useFocusBack()
  return (
    <Modal opened onClose={onClose} title={title} closeOnClickOutside={!codes} closeOnEscape={!codes}>
      {codes ? <RecoveryCodes codes={codes} onClose={onClose} /> : children}
    </Modal>
  )
}

function RecoveryCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const text = `${codes.join('\n')}\n`
  return (
    <Stack>
      <Text size="sm">
        Store these codes where you can find them without your phone. Each code works once.{' '}
        <strong>They are shown only now.</strong>
      </Text>
      <ul className={classes.codes} aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group>
        <CopyValue value={text} />
        <Button
          component="a"
          size="xs"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
          download="earshot-recovery-codes.txt"
          leftSection={<IconDownload size={14} aria-hidden />}
        >
          Download
        </Button>
      </Group>
      <FormFoot action="I have saved them" isPending={false} onPress={onClose} />
    </Stack>
  )
}

type TotpSetupProps = { isPending: boolean; onEnable: () => void }

function TotpSetup({ isPending, onEnable }: TotpSetupProps) {
  const { data: totp, error, refetch } = useQuery(totpQuery)
  const [code, setCode] = useState('')
  const firstDigit = useRef<HTMLInputElement>(null)
  const verify = useMutation(verifyCodeMutation)

  if (error) return <FailedState query={{ error, refetch }} />
  if (!totp) return <Skeleton height={456} />
  const isWrong = verify.isError && code === ''
  const startOver = () => {
    setCode('')
    firstDigit.current?.focus()
  }
  return (
    <Stack>
      <Text size="sm">1. Scan this with your authenticator app, or type the key there.</Text>
      <img className={classes.qr} src={toImage(totp.svg)} alt="QR code of the key below" />
      <CopyField label="Key" value={totp.secret} display={inGroups(totp.secret)} />
      <Text size="sm" id="otp-label">
        2. Enter the 6 digits that it shows.
      </Text>
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
        onComplete={(otp: string) => verify.mutate(otp, { onError: startOver })}
      />
      <Text size="sm" ta="center" role="status" c={isWrong ? 'var(--alarm)' : 'var(--calm)'} mih="1.4em">
        {verify.isSuccess ? 'The code is right.' : isWrong ? `The code is not right. ${clockHint}` : ''}
      </Text>
      <FormFoot action="Enable" isReady={verify.isSuccess} isPending={isPending} onPress={onEnable} />
    </Stack>
  )
}

/** As an image the SVG cannot run scripts. */
const toImage = (svg: string) => `data:image/svg+xml,${encodeURIComponent(svg)}`
const inGroups = (secret: string) => secret.replace(/(.{4})(?=.)/g, '$1 ')
