import '@mantine/core/styles/Timeline.css'
import { Skeleton, Stack, Timeline } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconSparkles } from '@tabler/icons-react'
import type { HistoryEntry, VulnDetail } from '../../../worker/vulns/detail/contract'
import { formatDateTime, formatPercent } from '../../lib/format'
import { EmptyState } from '../../ui/empty-state'
import { Loaded } from '../../ui/loaded'
import { Mark } from '../../ui/mark'
import { Timestamp } from '../../ui/timestamp'
import { DecisionHistory } from '../../decisions/decision-history'
import { historyQuery } from '../api'
import { HistoryChart } from './history-chart'
import { SourceName } from './source-name'
import classes from './history.module.css'

type Props = { vuln: VulnDetail | undefined; id: number; lastLook: string | null }

const waiting = (
  <Stack gap="md" aria-busy>
    <Skeleton height={200} />
    <Skeleton height={56} maw={560} />
    <Skeleton height={56} maw={560} />
  </Stack>
)

export const HistoryTab = (props: Props) => (
  <Loaded query={useQuery(historyQuery(props.id))} failed="The history could not be loaded" waiting={waiting}>
    {(history) => <History {...props} history={history} />}
  </Loaded>
)

function History({ id, vuln, lastLook, history }: Props & { history: HistoryEntry[] }) {
  const fresh = history.filter(({ date }) => isSince(date, lastLook)).length
  if (history.length === 0)
    return (
      <>
        <DecisionHistory vuln_id={id} />
        <EmptyState title="Nothing has changed yet" />
      </>
    )
  return (
    <Stack gap="md">
      <DecisionHistory vuln_id={id} />
      {vuln && <HistoryChart vuln={vuln} history={history} />}
      {lastLook && (
        <p className={classes.since} role="note">
          {fresh ? `${fresh} new` : 'Nothing new'} since you last looked on {formatDateTime(lastLook)}.
        </p>
      )}
      <Timeline bulletSize={14} lineWidth={2} maw={760}>
        {history.map((entry, index) => (
          <Timeline.Item key={index} title={<Title entry={entry} isNew={isSince(entry.date, lastLook)} />}>
            <Details details={entry.details} />
            <p className={classes.note}>
              <Timestamp at={entry.date} withTime /> · <SourceName source={entry.source} />
            </p>
          </Timeline.Item>
        ))}
      </Timeline>
    </Stack>
  )
}

/** A day without a time may be before or after the look: only a later day is new. */
const isSince = (date: string, lastLook: string | null) =>
  lastLook !== null && date > (date.length === 10 ? lastLook.slice(0, 10) : lastLook)

const Title = ({ entry, isNew }: { entry: HistoryEntry; isNew: boolean }) => (
  <span className={classes.title}>
    {entry.reason}
    {isNew && (
      <Mark tone="calm" icon={IconSparkles} title="Changed since you last looked">
        New
      </Mark>
    )}
  </span>
)

const Details = ({ details }: Pick<HistoryEntry, 'details'>) => (
  <ul className={classes.changes}>
    {details.map(({ field, label, from, to }, index) => (
      <li key={index}>
        {label}
        {(from !== null || to !== null) && (
          <>
            {': '}
            <span className={classes.before}>{words(field, from)}</span> → <strong>{words(field, to)}</strong>
          </>
        )}
      </li>
    ))}
  </ul>
)

function words(field: string, value: string | number | null) {
  if (value === null || value === '') return 'n/a'
  return field === 'epss' && typeof value === 'number' ? formatPercent(value) : String(value)
}
