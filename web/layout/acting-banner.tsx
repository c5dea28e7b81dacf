import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { IconUserShield } from '@tabler/icons-react'
import { useSession } from '../session/session'
import { stopActingMutation } from './api'
import classes from './banner.module.css'

export function ActingBanner() {
  const { user, org } = useSession()
  const leaving = useMutation(stopActingMutation)
  if (!user?.is_acting || !org) return null

  return (
    <aside className={classes.banner} aria-label="Acting" data-urgent>
      <IconUserShield size={16} aria-hidden />
      <p>
        <strong>Acting in {org.name}.</strong> You are not a member: what you change here is changed for this
        organization, and its audit log says that it was you.
      </p>
      <Button size="compact-sm" variant="default" loading={leaving.isPending} onClick={() => leaving.mutate()}>
        Leave {org.name}
      </Button>
    </aside>
  )
}
