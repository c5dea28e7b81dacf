import { Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useLoaderData, type LoaderFunctionArgs } from 'react-router-dom'
import { Page } from '../ui/page'
import { confirmEmailMutation } from './api'
import { AuthLink, hideToken } from './auth-form'
import { Done } from './outcome'

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
          {!isForAlerts && <AuthLink to="/homepage">Go to Earshot</AuthLink>}
        </Done>
      ) : (
        <Stack>
          <Text size="sm">
            {isForAlerts
              ? 'Earshot will send this address the alerts of the organization that the mail names. Each of them has a link that ends them.'
              : 'Earshot will write to this address, and you can sign in with it.'}
          </Text>
          <Button variant="filled" loading={confirm.isPending} onClick={() => confirm.mutate(token)}>
            Confirm the address
          </Button>
        </Stack>
      )}
    </Page>
  )
}
