import { CloseButton } from '@mantine/core'
import { useTimeout } from '@mantine/hooks'
import { useState } from 'react'
import { WrongCredentials } from '../session/sign-in'
import classes from './auth.module.css'

const shown_ms = 3000

/** Takes no focus, so that nobody who corrects the password at once is held up. */
export function useWrongCredentials() {
  const [problem, setProblem] = useState<string>()
  const close = () => setProblem(undefined)
  const closing = useTimeout(close, shown_ms)

  function tell(error: Error) {
    if (!(error instanceof WrongCredentials)) return
    setProblem(error.message)
    closing.clear()
    closing.start()
  }

  const dialog = problem && (
    <div className={classes.dialog} role="dialog" aria-label="Error">
      <p role="alert">{problem}</p>
      <CloseButton size="sm" aria-label="Close" onClick={close} />
    </div>
  )
  return { tell, dialog }
}
