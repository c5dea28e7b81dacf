import { Button, Group, Stack, Text } from '@mantine/core'
import { Link, redirect, useLoaderData, useNavigate, type LoaderFunctionArgs } from 'react-router-dom'
import { checkInvitation } from '../../worker/auth/joining-contract'
import { call } from '../lib/call'
import { showError } from '../lib/notice'
import { useSession } from '../session/session'
import { signOut } from '../session/sign-in'
import { ChangeButton } from '../ui/label-button'
import { Page } from '../ui/page'
import { AccountForm } from './account-form'
import { registerMutation } from './api'
import { hideToken } from './auth-form'
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
  const { user } = useSession()
  const isSignedIn = user !== null && user.email === email
  const isOther = user !== null && !isSignedIn
  const leaveTo = (path: string) => void navigate(path, { replace: true })
  const signIn = () => leaveTo('/auth')
  return (
    <Page title={isOther || step === 'confirm' || step === 'password' ? 'Invitation' : 'Registration'}>
      {org_name && (
        <Text size="sm">
          {invited_by ?? 'An admin'} invites you to <strong>{org_name}</strong>.
        </Text>
      )}
      {isOther ? (
        <OtherAccount username={user.username} email={email} />
      ) : step === 'confirm' ? (
        <JoinForm
          token={token}
          email={email}
          isSignedIn={isSignedIn}
          onJoined={isSignedIn ? () => leaveTo('/homepage') : signIn}
        />
      ) : step === 'password' ? (
        <FirstPasswordForm token={token} email={email} onJoined={signIn} />
      ) : (
        <AccountForm email={email} label="Register" create={registerMutation(token)} onCreated={signIn} />
      )}
    </Page>
  )
}

function OtherAccount({ username, email }: { username: string; email: string }) {
  return (
    <Stack>
      <Text size="sm">
        You are signed in as <strong>{username}</strong>; this invitation is for <strong>{email}</strong>.
      </Text>
      <Group>
        <ChangeButton variant="filled" label="Sign out and go on" change={{ mutationFn: signOut }} given={undefined} />
        <Button component={Link} to="/homepage">
          Stay signed in
        </Button>
      </Group>
    </Stack>
  )
}
