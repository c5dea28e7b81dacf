import { useEffect, useRef } from 'react'
import type { ReactNode, SubmitEvent } from 'react'
import classes from './first-steps.module.css'

type Props = { title: string; buttons: ReactNode; onSubmit: () => void; children: ReactNode }

export function Step({ title, buttons, onSubmit, children }: Props) {
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
      <div className={classes.buttons}>{buttons}</div>
    </form>
  )
}
