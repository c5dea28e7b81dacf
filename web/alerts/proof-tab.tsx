import { Button, Group, Skeleton, Table } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type * as z from 'zod'
import { doubts, outcomes } from '../../worker/alerts/proof/contract'
import { RouteName } from '../../worker/domain/alerts/alert-rules'
import type { DayProof, Doubt, listProofs, Outcome } from '../../worker/alerts/proof/contract'
import { formatCount, plural } from '../lib/format'
import { useAccess } from '../session/access'
import { AppLink } from '../ui/app-link'
import { Card } from '../ui/card'
import { Loaded } from '../ui/loaded'
import { Mark } from '../ui/mark'
import { Dated } from '../ui/timestamp'
import tables from '../ui/data-table.module.css'
import classes from './alerts.module.css'
import { checkProofsMutation, downloadProofMutation, proofsQuery } from './api'
import { nameRoute } from './deliveries'

const outcomeWords: Record<Outcome, string> = {
  delivered: 'Sent',
  held: 'In reports',
  suppressed: 'Suppressed',
  failed: 'Failed',
  waiting: 'Waiting',
  lost: 'Lost',
  unsure: 'Cannot tell',
}

const columns = ['Day', 'Result', 'Changes', 'By your rules', ...outcomes.map((name) => outcomeWords[name]), 'Messages']

/** Before the channels of a difference. */
const problemWords: Record<DayProof['differences'][number]['problem'], string> = {
  lost: 'lost',
  doubled: 'doubled',
  unasked: 'sent against your rules',
}

/** After "as": facts that nobody knows any more. Planning notes some with each alert. */
const doubtWords: Record<Doubt, string> = {
  filters: 'the groups, inventories, views or versions of that time were not noted',
  epss: 'the EPSS of that time was not noted',
  rules: 'the rules or receivers of that time are not known for sure',
  decisions: 'a decision began or ended about then',
  values: 'the vulnerability had several values about then',
  model: 'EPSS has had a new model since',
}

export const ProofTab = () => (
  <Loaded query={useQuery(proofsQuery)} failed="Unable to get the proofs" waiting={<Skeleton height={220} />}>
    {(proofs) => <Proofs {...proofs} />}
  </Loaded>
)

function Proofs({ proved_at, today, days }: z.output<(typeof listProofs)['reply']>) {
  return (
    <Card title="Daily proof" aside={<Downloads />}>
      <p className={classes.note}>
        Every night, Earshot counts again which changes should have been alerted, from the change log and what you
        monitor, and compares them with the alerts. “By your rules” says how many of them it judged again by your rules
        and decisions of that time alone, and each day names why the others were not. “Minor” changes told nobody: a
        score or an EPSS that moved, and passed nothing that a channel asked for. Days are in UTC.{' '}
        {proved_at ? <Dated words="Last counted" at={proved_at} withTime /> : 'The first count is made tonight'}.
      </p>
      <Seals />
      <div className={classes.scroll} tabIndex={0} role="region" aria-label="Daily proofs">
        <Table role="table" aria-label="Daily proofs" className={tables.table} horizontalSpacing={5}>
          <Table.Thead role="rowgroup">
            <Table.Tr role="row">
              {columns.map((label, at) => (
                <Table.Th key={label} className={at > 1 && at < columns.length - 1 ? classes.number : undefined}>
                  {label}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody role="rowgroup">
            <Day proof={today} isToday />
            {days.map((proof) => (
              <Day key={proof.day} proof={proof} />
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </Card>
  )
}

const sealedWords = {
  changes: 'the change log',
  alerts: 'its alerts',
  messages: 'its messages',
  proof: 'its proof',
  chain: 'its link to the day before',
}

/** Days older than four are sealed: rows deleted, altered or added there later show. */
function Seals() {
  const checking = useMutation(checkProofsMutation)
  const { data } = checking
  return (
    <div className={classes.note}>
      <Button size="xs" loading={checking.isPending} onClick={() => checking.mutate()}>
        Check the seals
      </Button>
      {data && (
        <div role="status">
          {data.checked === 0 && <p>No day is sealed yet: each is after four days.</p>}
          {data.checked > 0 && data.broken.length === 0 && (
            <p>{plural(data.checked, 'sealed day')} read again: all as they were sealed.</p>
          )}
          {data.broken.map(({ day, what }) => (
            <p key={`${day} ${what}`}>
              <Mark tone="alarm">{day}</Mark> {sealedWords[what]} is not as it was sealed.
            </p>
          ))}
          {data.last && (
            <p>
              Newest seal, of {data.last.day}, as your report mails name it: <code>{data.last.hash}</code>
            </p>
          )}
        </div>
      )}
    </div>
  )
}

function Day({ proof, isToday = false }: { proof: DayProof; isToday?: boolean }) {
  const { day, matched, lost, doubled, unasked, by_rules, minor, minor_by_rules, documents, unjudged } = proof
  const { messages, differences } = proof
  const numbers = [
    ['Changes', formatCount(matched)],
    ['By your rules', ofAll(by_rules, matched)],
    ...outcomes.map((outcome) => [outcomeWords[outcome], formatCount(proof[outcome])] as const),
  ] as const
  const result = [`${lost} lost`, `${doubled} sent twice`, ...(unasked ? [`${unasked} sent against your rules`] : [])]
  return (
    <Table.Tr role="row">
      <Table.Td role="cell" data-in-card="lead">
        <AppLink to={`/alerts?from=${day}&to=${day}`}>{day}</AppLink>
        {isToday && ' so far'}
      </Table.Td>
      <Table.Td role="cell" data-in-card="wide">
        <Mark tone={lost || doubled || unasked ? 'alarm' : 'calm'}>{result.join(', ')}</Mark>
        {differences.map(({ vuln_id, change, problem, channels }) => (
          <div key={`${problem} ${vuln_id} ${change}`} className={classes.note}>
            {problemWords[problem]}: <AppLink to={`/alerts?vuln_id=${vuln_id}`}>PH-{vuln_id}</AppLink>
            {channels.length > 0 && ` (${channels.map(nameRoute).join(', ')})`}
          </div>
        ))}
        {minor > 0 && (
          <div className={classes.note}>
            Minor changes that told nobody, as your rules ask: {ofAll(minor_by_rules, minor)}
          </div>
        )}
        {documents > 0 && (
          <div className={classes.note}>
            Among the changes: {plural(documents, 'first document')} of inventories, each told in one message
          </div>
        )}
        {doubts.map((doubt) => (
          <NotJudged key={doubt} count={unjudged[doubt]} why={doubtWords[doubt]} />
        ))}
      </Table.Td>
      {numbers.map(([label, text]) => (
        <Table.Td key={label} role="cell" className={classes.number} data-label={label}>
          {text}
        </Table.Td>
      ))}
      <Table.Td role="cell" data-label="Messages">
        <Messages counts={messages} />
      </Table.Td>
    </Table.Tr>
  )
}

const ofAll = (count: number, all: number) => (all ? `${formatCount(count)} of ${formatCount(all)}` : 'none to judge')

function NotJudged({ count = 0, why }: { count: number | undefined; why: string }) {
  return count > 0 && <div className={classes.note}>{`Not judged by your rules: ${formatCount(count)}, as ${why}`}</div>
}

function Messages({ counts }: { counts: DayProof['messages'] }) {
  const entries = Object.entries(counts)
  if (!entries.length) return 'none'
  return (
    <ul className={classes.messages}>
      {entries.map(([channel, count], at) => (
        <li key={channel}>
          {nameRoute(RouteName.parse(channel))}: {formatCount(count)}
          {at < entries.length - 1 && ', '}
        </li>
      ))}
    </ul>
  )
}

function Downloads() {
  const can = useAccess()
  const downloading = useMutation(downloadProofMutation)
  if (!can('orgAdmin')) return null
  return (
    <Group>
      {(['csv', 'json'] as const).map((format) => (
        <Button
          key={format}
          size="xs"
          loading={downloading.isPending && downloading.variables === format}
          onClick={() => downloading.mutate(format)}
        >
          Download {format.toUpperCase()}
        </Button>
      ))}
    </Group>
  )
}
