import { UnstyledButton } from '@mantine/core'
import { IconCheck, IconHelp, IconX } from '@tabler/icons-react'
import { describeFlag, type VulnFlag } from '../../../worker/domain/scores/flags'
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
        {labels.map(([flag, label]) => {
          const word = describeFlag(vuln, flag)
          return (
            <li key={flag}>
              <UnstyledButton
                role="switch"
                aria-checked={vuln[flag]}
                aria-readonly
                aria-label={`${label}: ${word}`}
                onClick={refuse}
              >
                <Mark {...faces[word]}>
                  {label}: {word}
                </Mark>
              </UnstyledButton>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

const faces = {
  Yes: { tone: 'warning', icon: IconCheck },
  No: { tone: 'plain', icon: IconX },
  'Not known': { tone: 'quiet', icon: IconHelp },
} as const
