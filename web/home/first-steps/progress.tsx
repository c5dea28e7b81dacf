import { VisuallyHidden } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import classes from './first-steps.module.css'

export function FirstStepsProgress({ steps, current }: { steps: string[]; current: number }) {
  return (
    <>
      <VisuallyHidden role="status">
        Step {current + 1} of {steps.length}: {steps[current]}
      </VisuallyHidden>
      <ol className={classes.progress} aria-label="Steps">
        {steps.map((name, index) => (
          <li key={name} aria-current={index === current ? 'step' : undefined} data-done={index < current || undefined}>
            <span className={classes.number} aria-hidden>
              {index < current ? <IconCheck size={14} /> : index + 1}
            </span>
            <span className={classes.name}>{name}</span>
          </li>
        ))}
      </ol>
    </>
  )
}
