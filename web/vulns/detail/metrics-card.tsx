import { Group, Stack, Switch } from '@mantine/core'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { showError } from '../../lib/notice'
import { Card } from '../../ui/card'

const refuse = () => showError('Unable to change the metrics - Insufficient privileges')

/** Read-only for everybody (S2 §6). */
export function MetricsCard({ vuln }: { vuln: VulnDetail }) {
  const metrics: [string, boolean][] = [
    ['Exploitable', vuln.is_exploitable],
    ['Confirmed', vuln.is_confirmed],
    ['Relayed in the News', vuln.is_in_the_news],
    ['Exploited in the Wild', vuln.is_in_the_wild],
  ]
  return (
    <Card title="Metrics">
      <Stack gap={8}>
        {metrics.map(([label, isSet]) => (
          <Group key={label} justify="space-between" wrap="nowrap">
            <Switch size="sm" label={label} checked={isSet} aria-readonly onChange={refuse} />
            <span aria-hidden>{isSet ? 'Yes' : 'No'}</span>
          </Group>
        ))}
      </Stack>
    </Card>
  )
}
