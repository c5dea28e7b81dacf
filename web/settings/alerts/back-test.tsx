import { Button, Collapse } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import type * as z from 'zod'
import type { BackTest, TriedRules } from '../../../worker/alerts/ledger/backtest-contract'
import { ruleNames } from '../../../worker/domain/alerts/alert-rules'
import { plural } from '../../lib/format'
import { AppLink } from '../../ui/app-link'
import { Timestamp } from '../../ui/timestamp'
import classes from './alerting.module.css'
import { backTestMutation } from './api'
import { WriteButton } from '../../session/write-button'

type Props = { rules: () => z.input<typeof TriedRules> }

export function BackTestButton({ rules }: Props) {
  const trying = useMutation(backTestMutation)
  return (
    <div>
      <WriteButton size="xs" loading={trying.isPending} onClick={() => trying.mutate(rules())}>
        What would these rules have sent?
      </WriteButton>
      {trying.data && <Result {...trying.data} />}
    </div>
  )
}

function Result({ days_30, days_90, held, is_complete, new_epss_models, alerts }: BackTest) {
  const [isOpen, list] = useDisclosure(false)
  const least = is_complete ? '' : 'at least '
  return (
    <div className={classes.health} role="status">
      <span>
        In the last 30 days this would have sent {least}
        {plural(days_30, 'alert')}, in the last 90 days {least}
        {days_90}
        {held > 0 && `, of which ${held} in reports, as they are above the daily number`}. Of what is monitored now;
        statuses and snoozes are not counted.
      </span>
      {new_epss_models.map(({ name, since }) => (
        <span key={since}>
          EPSS has a new model ({name}) since {since}: the answers of these rules on EPSS, and on scores that build on
          it, are not comparable across that day, and no score that the new model brought would have been sent.
        </span>
      ))}
      {alerts.length > 0 && (
        <Button variant="subtle" size="compact-xs" onClick={list.toggle} aria-expanded={isOpen}>
          {isOpen ? 'Hide the list' : `Show ${alerts.length < days_90 ? `the newest ${alerts.length}` : 'the list'}`}
        </Button>
      )}
      <Collapse expanded={isOpen}>
        <ul className={classes.tried}>
          {alerts.map(({ at, rule, vuln, changes }) => (
            <li key={`${vuln.id} ${at}`}>
              <Timestamp at={at} /> <AppLink to={`/vulns/${vuln.id}`}>{vuln.cveid ?? `PH-${vuln.id}`}</AppLink>{' '}
              {ruleNames[rule]}: {changes.slice(0, 3).join('; ')}
            </li>
          ))}
        </ul>
      </Collapse>
    </div>
  )
}
