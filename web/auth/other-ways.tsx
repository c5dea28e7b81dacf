import { Button, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { IconBuilding, IconFingerprint } from '@tabler/icons-react'
import { useEffect } from 'react'
import { Link } from 'react-router-dom'
import { hasPasskeys, offerPasskeys, withdrawPasskeys } from '../session/passkey'
import { passkeyMutation, provenPasskeyMutation } from './api'

/** The server takes an answer for five minutes, and this page may stand open for a night. */
const offer_ms = 240_000

type Props = { next: string; onSignedIn: () => void }

export function OtherWays({ next, onSignedIn }: Props) {
  const passkey = useMutation(passkeyMutation)
  const proven = useMutation(provenPasskeyMutation)

  useEffect(() => {
    let offered = 0
    // Only an offer: when it cannot be made, or is declined, the form is still there.
    const offer = () => {
      if (document.visibilityState === 'hidden' || Date.now() - offered < offer_ms / 2) return
      offered = Date.now()
      void offerPasskeys()
        .catch(() => undefined)
        .then((proof) => proof && proven.mutate(proof, { onSuccess: onSignedIn }))
    }
    offer()
    const renewing = setInterval(offer, offer_ms)
    document.addEventListener('visibilitychange', offer)
    return () => {
      clearInterval(renewing)
      document.removeEventListener('visibilitychange', offer)
      void withdrawPasskeys()
    }
    // Made anew as long as the form is shown.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [])

  return (
    <Stack gap="xs">
      {hasPasskeys() && (
        <Button
          leftSection={<IconFingerprint size={18} aria-hidden />}
          loading={passkey.isPending || proven.isPending}
          onClick={() => passkey.mutate(undefined, { onSuccess: onSignedIn })}
        >
          Sign in with a passkey
        </Button>
      )}
      <Button
        component={Link}
        to={next === '/homepage' ? '/sso' : `/sso?${new URLSearchParams({ next })}`}
        leftSection={<IconBuilding size={18} aria-hidden />}
      >
        Sign in with your company account
      </Button>
    </Stack>
  )
}
