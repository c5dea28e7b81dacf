import { Group } from '@mantine/core'
import { IconBellOff } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { Snooze } from '../../worker/decisions/decide-contract'
import { epssRank } from '../../worker/domain/scores/epss'
import { wakingWords, type QuietKind } from '../../worker/domain/decisions/snooze'
import { useAccess } from '../session/access'
import { AppLink } from '../ui/app-link'
import { Card } from '../ui/card'
import { FailedState } from '../ui/failed-state'
import { Mark } from '../ui/mark'
import { Timestamp } from '../ui/timestamp'
import classes from './decisions.module.css'
import { endSnoozeMutation, snoozeQuery } from './api'
import { RequestButtons } from './request-buttons'
import { WriteButton } from '../session/write-button'

type Props = { vuln_id: number; isMonitored: boolean; onDecide: (kind: QuietKind) => void }

export function QuietCard({ vuln_id, isMonitored, onDecide }: Props) {
  const { data, error, refetch } = useQuery(snoozeQuery(vuln_id, isMonitored))
  const mayAccept = useAccess()('manageMetadata')
  const waking = useMutation(endSnoozeMutation(vuln_id))
  const snooze = data?.snooze ?? null
  const isAsleep = snooze !== null && snooze.woken_by === null
  if (error && !data)
    return (
      <Card title="Alerts">
        <FailedState title="Unable to get the snooze" query={{ error, refetch }} />
      </Card>
    )
  return (
    <Card title="Alerts" aside={isAsleep && <QuietMark kind={snooze.kind} />}>
      {snooze && <QuietState snooze={snooze} />}
      {data?.request && (
        <>
          <p className={classes.verdict}>
            {data.request.by?.name ?? 'Somebody'} asks to accept the risk until {describeEnds(data.request)}.
          </p>
          <p className={classes.note}>Reason: {data.request.reason}</p>
          <RequestButtons vuln_id={vuln_id} asked_by={data.request.by?.id ?? null} asked_at={data.request.created_at} />
        </>
      )}
      <Group mt={6}>
        <AppLink to={`/alerts?vuln_id=${vuln_id}`}>Why you were alerted, or not</AppLink>
        {isMonitored && !isAsleep && (
          <>
            <WriteButton size="xs" onClick={() => onDecide('snoozed')}>
              Snooze
            </WriteButton>
            {mayAccept && !data?.request && (
              <WriteButton size="xs" onClick={() => onDecide('accepted')}>
                Accept the risk
              </WriteButton>
            )}
          </>
        )}
        {isAsleep && (mayAccept || snooze.kind === 'snoozed') && (
          <WriteButton size="xs" loading={waking.isPending} onClick={() => waking.mutate()}>
            Resume alerts
          </WriteButton>
        )}
      </Group>
    </Card>
  )
}

const QuietMark = ({ kind }: Pick<Snooze, 'kind'>) => (
  <Mark tone="quiet" icon={IconBellOff}>
    {kind === 'accepted' ? 'Risk accepted' : 'Snoozed'}
  </Mark>
)

function QuietState({ snooze }: { snooze: Snooze }) {
  const { kind, reason, owner, by, created_at, woken_by, woken_at } = snooze
  if (woken_by)
    return (
      <p className={classes.note}>
        {kind === 'accepted' ? 'Risk no longer accepted' : 'No longer snoozed'}: {wakingWords[woken_by]}
        {woken_at && (
          <>
            {' '}
            (<Timestamp at={woken_at} />)
          </>
        )}
        .
      </p>
    )
  return (
    <>
      <p className={classes.verdict}>
        {kind === 'accepted' ? 'Risk accepted' : 'Snoozed'} until {describeEnds(snooze)}.
      </p>
      {reason && <p className={classes.note}>Reason: {reason}</p>}
      <p className={classes.note}>
        {owner && `Owner: ${owner.name}. `}
        {by ? `By ${by.name}, ` : 'Since '}
        <Timestamp at={created_at} />
      </p>
    </>
  )
}

/** Its ends, of which the first counts. */
function describeEnds(snooze: Snooze) {
  const { until, on_fix, on_kev, on_exploit, epss_above, epss_percentile_above, new_epss_model } = snooze
  const model = new_epss_model
    ? ` (EPSS has a new model, ${new_epss_model.name}, since ${new_epss_model.since}: this probability may mean something else)`
    : ''
  const ends = [
    until,
    on_fix && 'a fix is published',
    on_kev && 'CISA lists it as exploited',
    on_exploit && 'an exploit is seen',
    epss_above !== null && `EPSS is above ${epss_above}${model}`,
    epss_percentile_above !== null && `EPSS is higher than that of ${epssRank(epss_percentile_above)} of all`,
  ].filter((end) => end !== null && end !== false)
  return ends.length > 1 ? `${ends.join(' or ')}, whichever comes first` : (ends[0] ?? '')
}
