import { Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { VulnDetail } from '../../worker/vulns/detail/contract'
import { useSession } from '../session/session'
import { MonitoredToggle } from '../ui/monitored-chip'
import { monitorVuln } from './api'
import classes from './vuln-detail.module.css'

const words = ['Monitored', 'Not monitored'] as const

/** What is monitored through a product or a vendor can only be switched off there. */
export function VulnToggle({ vuln: { id, monitored, monitored_by } }: { vuln: VulnDetail }) {
  const { org } = useSession()
  const { isPending, mutate } = useMutation(monitorVuln)
  const isIndirect = monitored && monitored_by.length > 0 && monitored_by.every(({ via }) => via !== 'vuln')
  return (
    <div className={classes.toggle}>
      {isIndirect && (
        <Text size="xs" c="dimmed">
          through {describe(monitored_by)}
        </Text>
      )}
      <MonitoredToggle
        monitored={monitored}
        words={words}
        name={`PH-${id}`}
        isPending={isPending}
        isDisabled={isIndirect}
        onToggle={() => mutate({ vuln_id: id, monitored: !monitored, organization_id: org?.id })}
      />
    </div>
  )
}

const shownNames = 3

function describe(monitored_by: VulnDetail['monitored_by']) {
  const names = monitored_by.slice(0, shownNames).map(({ name }) => name)
  const more = monitored_by.length - names.length
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ')
}
