import { Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useLoaderData } from 'react-router-dom'
import type { LoaderFunctionArgs } from 'react-router-dom'
import { AppLink } from '../ui/app-link'
import { Page } from '../ui/page'
import { confirmEmailMutation } from './api'
import { hideToken } from './hide-token'
import { Done } from './success-card'

export function takeToken({ params: { token = '' }, request }: LoaderFunctionArgs) {
  const isForAlerts = new URL(request.url).searchParams.get('for') === 'alerts'
  hideToken('/email/taken')
  return { token, isForAlerts }
}

/** Asks before it confirms, because mail scanners open links, too. A reader of alerts need not have an account. */
export function EmailPage() {
  const { token, isForAlerts } = useLoaderData<typeof takeToken>()
  const confirm = useMutation(confirmEmailMutation)
  return (
    <Page title={isForAlerts ? 'Address for alerts' : 'New e-mail address'}>
      {confirm.isSuccess ? (
        <Done message={isForAlerts ? 'This address gets the alerts from now on.' : 'Your new address is confirmed.'}>
          {!isForAlerts && (
            <AppLink to="/homepage" fz="sm">
              Go to Earshot
            </AppLink>
          )}
        </Done>
      ) : (
        <Stack gap="sm">
          <Text size="sm">
            {isForAlerts
              ? 'Earshot will send this address the alerts of the organization that the mail names. Each of them has a link that ends them.'
              : 'Earshot will write to this address, and you can sign in with it.'}
          </Text>
          <Button loading={confirm.isPending} onClick={() => confirm.mutate(token)}>
            Confirm the address
          </Button>
        </Stack>
      )}
    </Page>
  )
}
