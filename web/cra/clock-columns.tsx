import { Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconClock } from '@tabler/icons-react'
import type { CraClock, CraClockQuery } from '../../worker/cra/contract'
import { craStageNames } from '../../worker/domain/decisions/cra'
import type { Column } from '../ui/column'
import { AppLink } from '../ui/app-link'
import { Mark } from '../ui/mark'
import { RunVerdictMark } from '../ui/run-verdict-mark'
import { describeLeft, formatDeadline, useNow } from './times'
import { nameVuln } from '../lib/format'

export const clockColumns: Column<CraClock, CraClockQuery['sorted_by']>[] = [
  {
    label: 'Vulnerability',
    inCard: 'lead',
    cell: ({ vuln_id, cveid, summary, verdict }) => (
      <>
        <AppLink to={`/cra/${vuln_id}`} fw={600}>
          {nameVuln(vuln_id, cveid)}
        </AppLink>{' '}
        <RunVerdictMark verdict={verdict} />
        <Text size="sm" lineClamp={2}>
          {summary}
        </Text>
      </>
    ),
  },
  {
    label: 'Products',
    width: 180,
    cell: ({ inventories }) => (inventories.length ? inventories.join(', ') : 'In none any more'),
  },
  {
    label: 'Known since',
    width: 150,
    sort: ['-aware_at', 'aware_at'],
    cell: ({ aware_at }) => <Moment at={aware_at} />,
  },
  {
    label: 'Next report',
    width: 230,
    inCard: 'wide',
    sort: ['due', '-due'],
    cell: (row) => <NextReport clock={row} />,
  },
]

export const Moment = ({ at }: { at: string }) => <time dateTime={at}>{formatDeadline(at)}</time>

function NextReport({ clock: { is_done, not_needed, next } }: { clock: CraClock }) {
  if (not_needed || is_done)
    return (
      <Mark tone="calm" icon={IconCircleCheck}>
        {not_needed ? 'No report needed' : 'All reported'}
      </Mark>
    )
  if (!next) return <Text size="sm">Final report: waits for a fix</Text>
  return (
    <>
      <Text size="sm">
        {craStageNames[next.stage]}: <Moment at={next.due} />
      </Text>
      <Left due={next.due} />
    </>
  )
}

const soon_ms = 24 * 3_600_000

export function Left({ due }: { due: string }) {
  const now = useNow()
  const left = Date.parse(due) - now.getTime()
  return (
    <Mark
      tone={left < 0 ? 'alarm' : left < soon_ms ? 'warning' : 'quiet'}
      icon={left < 0 ? IconAlertTriangle : IconClock}
    >
      {describeLeft(due, now)}
    </Mark>
  )
}
