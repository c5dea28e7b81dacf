import { Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useLoaderData } from 'react-router-dom'
import type { LoaderFunctionArgs } from 'react-router-dom'
import { AppLink } from '../ui/app-link'
import { Page } from '../ui/page'
import { confirmEmailMutation } from './api'
import { hideToken } from './hide-token'
import { Done } from './success-card'

export function takeToken({ params: { token = '' } }: LoaderFunctionArgs) {
  hideToken('/email/taken')
  return token
}

/** Asks before it confirms, because mail scanners open links, too. */
export function EmailPage() {
  const token = useLoaderData<typeof takeToken>()
  const confirm = useMutation(confirmEmailMutation)
  return (
    <Page title="New e-mail address">
      {confirm.isSuccess ? (
        <Done message="Your new address is confirmed.">
          <AppLink to="/homepage" fz="sm">
            Go to Earshot
          </AppLink>
        </Done>
      ) : (
        <Stack gap="sm">
          <Text size="sm">Earshot will write to this address, and you can sign in with it.</Text>
          <Button loading={confirm.isPending} onClick={() => confirm.mutate(token)}>
            Confirm the address
          </Button>
        </Stack>
      )}
    </Page>
  )
}
