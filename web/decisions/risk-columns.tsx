import { Group, Text } from '@mantine/core'
import { IconAlertTriangle, IconHelp } from '@tabler/icons-react'
import type { AcceptedRisk, RegisterQuery } from '../../worker/decisions/contract'
import { VulnLink } from '../ui/app-link'
import type { Column } from '../ui/column'
import { KevMark } from '../ui/kev-mark'
import { Mark } from '../ui/mark'
import { ScoreBadge } from '../ui/score-badge'
import { Timestamp } from '../ui/timestamp'
import { RequestButtons } from './request-buttons'

export const kindWords: Record<AcceptedRisk['kind'], string> = {
  accepted: 'Risk accepted',
  set_aside: 'Not interesting',
  left: 'Left as it is',
}

export const riskColumns: Column<AcceptedRisk, RegisterQuery['sorted_by']>[] = [
  {
    label: 'Score',
    width: 80,
    cell: (vuln) => <ScoreBadge of={vuln} />,
  },
  {
    label: 'Vulnerability',
    inCard: 'lead',
    cell: ({ vuln_id, cveid, kev, summary, component, version, inventory }) => (
      <>
        <Group gap={8}>
          <VulnLink id={vuln_id} cveid={cveid} tab="history" fw={600} />
          {kev && <KevMark />}
        </Group>
        {component && (
          <Text size="sm">
            {component} {version} in {inventory}
          </Text>
        )}
        <Text size="sm" lineClamp={2}>
          {summary}
        </Text>
      </>
    ),
  },
  {
    label: 'Decision',
    width: 210,
    inCard: 'wide',
    cell: ({ kind, is_requested, reason, vuln_id, user_id, decided_at }) => (
      <>
        {is_requested ? (
          <Mark tone="warning" icon={IconHelp}>
            Waits for approval
          </Mark>
        ) : (
          <Text size="sm">{kindWords[kind]}</Text>
        )}
        <Text size="xs" c="dimmed" lineClamp={3}>
          {reason}
        </Text>
        {is_requested && <RequestButtons vuln_id={vuln_id} asked_by={user_id} asked_at={decided_at} />}
      </>
    ),
  },
  { label: 'Owner', width: 130, cell: ({ owner }) => owner ?? 'Nobody' },
  {
    label: 'Last day',
    width: 130,
    sort: ['last_day', '-last_day'],
    cell: ({ last_day, is_due }) => (
      <Group gap={6}>
        {last_day ?? 'Without end'}
        {is_due && (
          <Mark tone="warning" icon={IconAlertTriangle}>
            Review
          </Mark>
        )}
      </Group>
    ),
  },
  {
    label: 'Decided',
    width: 150,
    sort: ['-decided_at', 'decided_at'],
    cell: ({ decided_at, by, approved_by }) => (
      <>
        <Timestamp at={decided_at} />
        <Text size="xs" c="dimmed">
          {[by && `by ${by}`, approved_by && `approved by ${approved_by}`].filter(Boolean).join(', ')}
        </Text>
      </>
    ),
  },
]
