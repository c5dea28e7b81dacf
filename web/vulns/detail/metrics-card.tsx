import { Group, Stack, Switch } from '@mantine/core'
import { useId } from 'react'
import { describeFlag } from '../../../worker/domain/flags'
import type { VulnFlag } from '../../../worker/domain/flags'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { showError } from '../../lib/notice'
import { Card } from '../../ui/card'
import classes from '../vuln-detail.module.css'

const refuse = () => showError('Unable to change the metrics - Insufficient privileges')

const labels: [VulnFlag, string][] = [
  ['is_exploitable', 'Exploitable'],
  ['is_confirmed', 'Confirmed'],
  ['is_in_the_news', 'Relayed in the News'],
  ['is_in_the_wild', 'Exploited in the Wild'],
]

/** Read-only for everybody (S2 §6). */
export function MetricsCard({ vuln }: { vuln: VulnDetail }) {
  const id = useId()
  return (
    <Card title="Metrics">
      <Stack gap={8}>
        {labels.map(([flag, label]) => (
          <Group key={flag} justify="space-between" wrap="nowrap">
            <Switch
              size="sm"
              label={label}
              checked={vuln[flag]}
              thumbIcon={vuln.unknown_flags.includes(flag) ? <span className={classes.unknown}>?</span> : undefined}
              aria-readonly
              aria-describedby={`${id}-${flag}`}
              onChange={refuse}
            />
            <span id={`${id}-${flag}`}>{describeFlag(vuln, flag)}</span>
          </Group>
        ))}
      </Stack>
    </Card>
  )
}
