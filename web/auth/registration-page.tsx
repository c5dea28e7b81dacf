import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link, redirect, useLoaderData, useNavigate } from 'react-router-dom'
import type { LoaderFunctionArgs } from 'react-router-dom'
import { checkInvitation } from '../../worker/auth/joining-contract'
import { call } from '../lib/call'
import { showError } from '../lib/notice'
import { useSession } from '../session/session'
import { signOut } from '../session/sign-in'
import { Page } from '../ui/page'
import { AccountForm } from './account-form'
import { registerMutation } from './api'
import { hideToken } from './hide-token'
import { FirstPasswordForm, JoinForm } from './join-forms'

export async function requireInvitation({ request }: LoaderFunctionArgs) {
  const token = new URL(request.url).searchParams.get('token')
  if (!token) throw redirect('/auth')
  const invitation = await call(checkInvitation, { params: { token }, signal: request.signal })
  hideToken('/registration')
  if (invitation.status === 'invalid') {
    showError(
      'This invitation does not hold any more',
      'It was used already, was withdrawn, or has expired. Members sign in here.',
    )
    throw redirect('/auth')
  }
  return { ...invitation, token, email: invitation.email ?? '' }
}

export function RegistrationPage() {
  const { token, email, step, org_name, invited_by } = useLoaderData<typeof requireInvitation>()
  const navigate = useNavigate()
  const lead = org_name && <Lead org={org_name} by={invited_by} />
  const { user } = useSession()
  const isSignedIn = user !== null && user.email === email
  const leaveTo = (path: string) => void navigate(path, { replace: true })
  const signIn = () => leaveTo('/auth')

  if (user && !isSignedIn)
    return (
      <Page title="Invitation">
        {lead}
        <OtherAccount username={user.username} email={email} />
      </Page>
    )
  if (step === 'confirm')
    return (
      <Page title="Invitation">
        {lead}
        <JoinForm
          token={token}
          email={email}
          isSignedIn={isSignedIn}
          onJoined={() => leaveTo(isSignedIn ? '/homepage' : '/auth')}
        />
      </Page>
    )
  if (step === 'password')
    return (
      <Page title="Invitation">
        {lead}
        <FirstPasswordForm token={token} email={email} onJoined={signIn} />
      </Page>
    )
  return (
    <Page title="Registration">
      {lead}
      <AccountForm email={email} label="Register" create={registerMutation(token)} onCreated={signIn} />
    </Page>
  )
}

const Lead = ({ org, by }: { org: string; by: string | null }) => (
  <Text size="sm">
    {by ?? 'An admin'} invites you to <strong>{org}</strong>.
  </Text>
)

function OtherAccount({ username, email }: { username: string; email: string }) {
  const leaving = useMutation({ mutationFn: signOut })
  return (
    <Stack gap="sm">
      <Text size="sm">
        You are signed in as <strong>{username}</strong>; this invitation is for <strong>{email}</strong>.
      </Text>
      <Group gap="xs">
        <Button loading={leaving.isPending} onClick={() => leaving.mutate()}>
          Sign out and go on
        </Button>
        <Button component={Link} to="/homepage" variant="default">
          Stay signed in
        </Button>
      </Group>
    </Stack>
  )
}
