import { Loader, Text } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router-dom'
import { wantedPath } from '../session/guard'
import { hasEnded } from '../session/session'
import type { Owed } from '../session/sign-in'
import { Page } from '../ui/page'
import { LoginForm } from './login-form'
import { OtherWays } from './other-ways'
import { tellPasskeys } from './passkey-offer'

const SecondFactor = lazy(() => import('./second-factor').then((module) => ({ default: module.SecondFactor })))

type Step = { name: 'password' } | { name: 'code'; owed: Owed; isFirstVisit: boolean }

export function AuthPage() {
  const [params] = useSearchParams()
  const navigate = useNavigate()
  const [step, setStep] = useState<Step>({ name: 'password' })
  const next = wantedPath(params.get('next'))
  const goOn = (isFirstVisit = false) =>
    void navigate(isFirstVisit ? '/homepage?firststeps=1' : next, { replace: true })

  const goOnFromPassword = (isFirstVisit = false) => {
    goOn(isFirstVisit)
    void tellPasskeys(() => void navigate('/settings?tab=profile'))
  }

  if (step.name === 'code')
    return (
      <Page title="Second step">
        <Suspense fallback={<Loader size="sm" />}>
          <SecondFactor
            owed={step.owed}
            onSignedIn={() => (step.owed.methods.includes('passkey') ? goOn : goOnFromPassword)(step.isFirstVisit)}
            onBack={() => setStep({ name: 'password' })}
          />
        </Suspense>
      </Page>
    )
  return (
    <Page title="Sign in">
      {hasEnded() && (
        <Text size="sm" role="status">
          Your session has ended. Sign in again, and you are where you were.
        </Text>
      )}
      <LoginForm
        onSignedIn={goOnFromPassword}
        onOwed={(owed, isFirstVisit) => setStep({ name: 'code', owed, isFirstVisit })}
      />
      <OtherWays next={next} onSignedIn={() => goOn()} />
    </Page>
  )
}
