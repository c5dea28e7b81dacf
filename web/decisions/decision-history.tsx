import { Button, Skeleton } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { DecisionEntry } from '../../worker/decisions/contract'
import { reasonWords, decisionWords } from '../lib/vex-words'
import { Card } from '../ui/card'
import { FailedLine } from '../ui/failed-line'
import { Timestamp } from '../ui/timestamp'
import { decisionsQuery, takeBack } from './api'
import classes from './decisions.module.css'
import { wakingWords } from '../../worker/domain/decisions/snooze'
import { statusLabels } from '../lib/status-labels'

export function DecisionHistory({ vuln_id }: { vuln_id: number }) {
  const query = useQuery(decisionsQuery(vuln_id))
  const { data } = query
  if (data?.results.length === 0) return null
  return (
    <Card title="What you decided">
      <FailedLine text="The decisions could not be loaded." query={query} />
      {query.isPending && <Skeleton height={56} />}
      <ul className={classes.entries}>
        {data?.results.map((entry, at) => (
          <Entry key={`${entry.at} ${at}`} entry={entry} />
        ))}
      </ul>
    </Card>
  )
}

function Entry({ entry }: { entry: DecisionEntry }) {
  const client = useQueryClient()
  const { scope, justification, note, fix, owner, last_day, at, by, undo } = entry
  const details = [
    justification && reasonWords[justification],
    fix && `Upgrade to ${fix}`,
    scope !== 'assignee' && owner && `Owner: ${owner}`,
    last_day && `Last day: ${last_day}`,
  ].filter(Boolean)
  return (
    <li>
      <div>
        <p className={classes.verdict}>{describeEntry(entry)}</p>
        {note && <p className={classes.note}>{note}</p>}
        {details.length > 0 && <p className={classes.note}>{details.join(' · ')}</p>}
        <p className={classes.note}>
          <Timestamp at={at} withTime /> · {by ?? 'by itself'}
        </p>
      </div>
      {undo && (
        <Button size="compact-xs" onClick={() => void takeBack(client, { changes: [undo] })}>
          Undo
        </Button>
      )}
    </li>
  )
}

const quietWords = { snoozed: 'Snoozed', accepted: 'Risk accepted' }

/** Words for the decision of an entry of the history. */
function describeEntry({ scope, verdict, owner, ended_by, component, version, inventory }: DecisionEntry) {
  const words = new Map<string, string>(
    Object.entries(scope === 'component' ? decisionWords : { ...statusLabels, ...quietWords }),
  )
  const said = words.get(verdict ?? '') ?? 'Nothing decided'
  if (scope === 'assignee') return owner && verdict ? `Assigned to ${owner}` : 'Assigned to nobody'
  if (scope === 'request') return verdict ? 'Asked to accept the risk' : 'No request any more'
  if (scope === 'component')
    return `${verdict ? said : 'Open again'}: ${component ?? 'a component'} ${version ?? ''} in ${inventory ?? 'an inventory'}`
  if (scope === 'alerts')
    return ended_by ? `Alerts are on again: ${wakingWords[ended_by]}` : verdict ? said : 'Alerts are on'
  return `Status: ${verdict ? said : statusLabels.undefined}`
}
