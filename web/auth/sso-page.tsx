import { Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { redirect, useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router-dom'
import { startSso } from '../../worker/auth/sso/contract'
import { formRules } from '../lib/form-rules'
import { wantedPath } from '../session/guard'
import { signInWithSso } from '../session/sign-in'
import { takeSso } from '../session/sso'
import { Page } from '../ui/page'
import { ssoMutation } from './api'
import { AuthForm, AuthLink, EmailField, hideToken } from './auth-form'
import { FormProblem } from './outcome'

export async function loadSsoAnswer({ request, params: { org } }: LoaderFunctionArgs) {
  const params = new URL(request.url).searchParams
  const [code, state] = [params.get('code'), params.get('state')]
  if (code || params.has('error')) hideToken('/sso')
  if (params.has('error'))
    return { problem: params.get('error_description') ?? 'Your company account was not accepted.' }
  if (!code || !state) return { problem: null }

  const next = takeSso(state)
  if (next === undefined) return { problem: 'This sign-in was not started in this browser. Please start again.' }
  try {
    await signInWithSso({ code, state, iss: params.get('iss') ?? undefined, org_id: Number(org) })
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'Unable to sign in' }
  }
  throw redirect(wantedPath(next))
}

export function SsoPage() {
  const { problem } = useLoaderData<typeof loadSsoAnswer>()
  const [params] = useSearchParams()
  const form = useForm({ initialValues: { email: '' }, validate: formRules(startSso) })
  const leave = useMutation(ssoMutation)
  const next = wantedPath(params.get('next'))

  return (
    <Page title="Company account">
      <AuthForm
        onSubmit={form.onSubmit(({ email }) => leave.mutate({ email, next }))}
        action="Continue"
        isPending={leave.isPending || leave.isSuccess}
        below={<AuthLink to="/auth">Sign in with a password</AuthLink>}
      >
        {problem && <FormProblem>{problem}</FormProblem>}
        <Text size="sm">
          Your address shows which company signs you in. You continue on its page and return signed in.
        </Text>
        <EmailField {...form.getInputProps('email')} />
      </AuthForm>
    </Page>
  )
}
