import { UnstyledButton } from '@mantine/core'
import { IconCheck, IconHelp, IconX } from '@tabler/icons-react'
import { describeFlag } from '../../../worker/domain/scores/flags'
import type { VulnFlag } from '../../../worker/domain/scores/flags'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { showError } from '../../lib/notice'
import { Card } from '../../ui/card'
import { Mark } from '../../ui/mark'
import classes from '../vuln-detail.module.css'

const refuse = () => showError('Unable to change the metrics - Insufficient privileges')

const labels: [VulnFlag, string][] = [
  ['is_exploitable', 'Exploitable'],
  ['is_confirmed', 'Confirmed'],
  ['is_in_the_news', 'Relayed in the News'],
  ['is_in_the_wild', 'Exploited in the Wild'],
]

export function MetricsCard({ vuln }: { vuln: VulnDetail }) {
  return (
    <Card title="Metrics">
      <ul className={classes.flags}>
        {labels.map(([flag, label]) => (
          <li key={flag}>
            <UnstyledButton
              role="switch"
              aria-checked={vuln[flag]}
              aria-readonly
              aria-label={`${label}: ${describeFlag(vuln, flag)}`}
              onClick={refuse}
            >
              <Flag label={label} word={describeFlag(vuln, flag)} />
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </Card>
  )
}

const faces = {
  Yes: { tone: 'warning', icon: <IconCheck size={12} aria-hidden /> },
  No: { tone: 'plain', icon: <IconX size={12} aria-hidden /> },
  'Not known': { tone: 'quiet', icon: <IconHelp size={12} aria-hidden /> },
} as const

function Flag({ label, word }: { label: string; word: keyof typeof faces }) {
  const { tone, icon } = faces[word]
  return (
    <Mark tone={tone} icon={icon}>
      {label}: {word}
    </Mark>
  )
}
