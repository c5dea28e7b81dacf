import { Text } from '@mantine/core'
import { useLoaderData, useNavigate, type LoaderFunctionArgs } from 'react-router-dom'
import { checkTrial } from '../../worker/auth/joining-contract'
import { call } from '../lib/call'
import { Page } from '../ui/page'
import { AccountForm } from './account-form'
import { acceptTrialMutation } from './api'
import { AuthLink, hideToken } from './auth-form'
import { FormProblem } from './outcome'

export async function loadTrial({ params: { token = '' }, request }: LoaderFunctionArgs) {
  const trial = await call(checkTrial, { params: { token }, signal: request.signal })
  hideToken('/trial')
  return { token, ...trial }
}

export function TrialAccountPage() {
  const { token, status, email, org_name } = useLoaderData<typeof loadTrial>()
  const navigate = useNavigate()

  if (status === 'invalid')
    return (
      <Page title="Free 14-day trial">
        <FormProblem>This link was already used, or has expired.</FormProblem>
        <AuthLink to="/trial">Ask for a new one</AuthLink>
      </Page>
    )
  return (
    <Page title="Your account">
      <Text size="sm">
        The first user of <strong>{org_name}</strong>, and its administrator.
      </Text>
      <AccountForm
        email={email ?? ''}
        label="Start the trial"
        create={acceptTrialMutation(token)}
        onCreated={() => void navigate('/homepage?firststeps=1', { replace: true })}
      />
    </Page>
  )
}
