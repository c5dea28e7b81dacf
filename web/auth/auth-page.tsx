import { useSearchParams, useNavigate } from 'react-router-dom'
import { wantedPath } from '../session/guard'
import { Page } from '../ui/page'
import { LoginForm } from './login-form'

export function AuthPage() {
  const [params] = useSearchParams()
  const navigate = useNavigate()
  const goOn = (isFirstVisit: boolean) =>
    void navigate(isFirstVisit ? '/homepage?firststeps=1' : wantedPath(params.get('next')), { replace: true })

  return (
    <Page title="Sign in">
      <LoginForm onSignedIn={goOn} />
    </Page>
  )
}
