import { Button, Group, PinInput, Skeleton, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { CopyField } from '../../ui/copy-field'
import { FailedState } from '../../ui/failed-state'
import classes from '../settings.module.css'
import { totpQuery, verifyCodeMutation } from './api'

type Props = { isPending: boolean; onEnable: () => void }

export function TotpSetup({ isPending, onEnable }: Props) {
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
        {verify.isSuccess ? 'The code is right.' : isWrong ? 'The code is not right.' : ''}
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
