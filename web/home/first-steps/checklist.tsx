import { Button, CloseButton } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react'
import { Link } from 'react-router-dom'
import type { Access } from '../../../worker/domain/people/access'
import type { firstSteps } from '../../../worker/home/contract'
import { useAccess } from '../../session/access'
import { AppLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import { closeStepsMutation, firstStepsQuery } from '../api'
import classes from './first-steps.module.css'
import { useReadOnly } from '../../session/known-org'

type StepName = (typeof firstSteps)[number]
type Step = { text: string; to: string; label: string; access: Access }

const steps: Record<StepName, Step> = {
  monitor: { text: 'Monitor what you run', to: '/products', label: 'Choose products', access: 'member' },
  addresses: {
    text: 'Say who is alerted, and confirm the address',
    to: '/settings?tab=alerting',
    label: 'Addresses',
    access: 'manageAlerts',
  },
  test: {
    text: 'Send a test alert, and see it arrive',
    to: '/settings?tab=alerting',
    label: 'Send a test',
    access: 'manageAlerts',
  },
  colleague: { text: 'Invite a colleague', to: '/settings?tab=orgs', label: 'Invite', access: 'manageOrg' },
  inventory: {
    text: 'Add an inventory: an SBOM or a lock file',
    to: '/monitoring/inventories',
    label: 'Add one',
    access: 'member',
  },
}

/** A step that a member may not take is none of theirs; when all of theirs are done, or nothing may be changed, the list is gone. */
export function Checklist() {
  const can = useAccess()
  const { disabled: isReadOnly } = useReadOnly()
  const { data } = useQuery(firstStepsQuery)
  const { mutate, isPending } = useMutation(closeStepsMutation)
  const memberSteps = data?.steps.filter(({ name }) => can(steps[name].access)) ?? []
  const done = memberSteps.filter(({ is_done }) => is_done).length
  if (isReadOnly || done === memberSteps.length) return null
  return (
    <Card
      title="First steps"
      aside={<CloseButton aria-label="Close the first steps" disabled={isPending} onClick={() => mutate()} />}
    >
      <p className={classes.done}>
        {done} of {memberSteps.length} done. See what you will get: a{' '}
        <AppLink to="/reports/sample">sample report and a sample alert</AppLink>.
      </p>
      <ul className={classes.steps}>
        {memberSteps.map(({ name, is_done }) => (
          <li key={name} data-done={is_done || undefined}>
            {is_done ? (
              <IconCircleCheckFilled size={18} role="img" aria-label="Done:" />
            ) : (
              <IconCircle size={18} role="img" aria-label="To do:" />
            )}
            <span>{steps[name].text}</span>
            {!is_done && (
              <Button component={Link} to={steps[name].to} size="compact-sm">
                {steps[name].label}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}
