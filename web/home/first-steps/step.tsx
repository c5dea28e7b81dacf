import { Button } from '@mantine/core'
import { useEffect, useRef, type ReactNode, type SubmitEvent } from 'react'
import classes from './first-steps.module.css'

type Props = {
  title: string
  back?: 'Back' | 'Close'
  submit?: 'Next' | 'Close'
  isSaving?: boolean
  onBack: () => void
  onSubmit: () => void
  children: ReactNode
}

export function Step({ title, back = 'Back', submit: label = 'Next', isSaving, onBack, onSubmit, children }: Props) {
  const headingRef = useRef<HTMLHeadingElement>(null)
  useEffect(() => headingRef.current?.focus({ preventScroll: true }), [])

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <form className={classes.step} onSubmit={submit} noValidate>
      <h2 className={classes.title} ref={headingRef} tabIndex={-1} data-autofocus>
        {title}
      </h2>
      {children}
      <div className={classes.buttons}>
        <Button onClick={onBack}>{back}</Button>
        <Button variant="filled" type="submit" loading={isSaving ?? false}>
          {label}
        </Button>
      </div>
    </form>
  )
}
