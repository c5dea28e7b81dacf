import { redirect, useLoaderData, useNavigate } from 'react-router-dom'
import type { LoaderFunctionArgs } from 'react-router-dom'
import { checkInvitation } from '../../worker/auth/joining-contract'
import { call } from '../lib/call'
import { Page } from '../ui/page'
import { AccountForm } from './account-form'
import { registerMutation } from './api'

export async function requireInvitation({ request }: LoaderFunctionArgs) {
  const token = new URL(request.url).searchParams.get('token')
  if (!token) throw redirect('/auth')
  const { status, email } = await call(checkInvitation, { params: { token }, signal: request.signal })
  if (status === 'invalid') throw redirect('/auth')
  return { token, email: email ?? '' }
}

export function RegistrationPage() {
  const { token, email } = useLoaderData<typeof requireInvitation>()
  const navigate = useNavigate()
  return (
    <Page title="Registration">
      <AccountForm
        email={email}
        label="Register"
        create={registerMutation(token)}
        onCreated={() => void navigate('/auth', { replace: true })}
      />
    </Page>
  )
}
