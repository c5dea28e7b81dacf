import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { findKept, keep } from '../lib/kept'
import { closing } from '../lib/notice'

const storageKey = 'EarshotPasskeyOffer'
const id = 'passkey-offer'

/** Once in a browser, to who gave a password at a device that can keep a passkey. */
export async function tellPasskeys(onAdd: () => void) {
  if (findKept(storageKey) !== null || !(await canKeepPasskey())) return
  keep(storageKey, 'offered')
  notifications.show({
    id,
    color: 'petrol',
    autoClose: false,
    ...closing,
    closeButtonProps: { 'aria-label': 'Not now' },
    message: (
      <Group justify="space-between">
        <span>Sign in with your fingerprint, face or PIN next time.</span>
        <Button
          size="compact-sm"
          onClick={() => {
            notifications.hide(id)
            onAdd()
          }}
        >
          Add a passkey
        </Button>
      </Group>
    ),
  })
}

const canKeepPasskey = async () =>
  'PublicKeyCredential' in window &&
  (await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable().catch(() => false))
