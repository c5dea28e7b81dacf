import '@mantine/core/styles/Alert.css'
import { Alert, Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { FindingRow, FindingDecision } from '../../worker/inventories/finding-contract'
import { DecideDialog } from '../decisions/decide-dialog'
import { toForm } from '../decisions/decide-form'
import { decisionWords, reasonWords } from '../lib/vex-words'
import { Timestamp } from '../ui/timestamp'
import { showUndo } from '../ui/undo-notice'
import { dismissMutation } from './api'
import { WriteButton } from '../session/write-button'
import { nameVuln } from '../lib/format'

type Props = { name: string; finding: FindingRow; onClose: () => void }

export function FindingDialog({ name, finding, onClose }: Props) {
  const { vuln_id, component_id, cveid, component, version, decision, fixed_in } = finding
  return (
    <DecideDialog
      title={`${nameVuln(vuln_id, cveid)} in ${component} ${version ?? ''}`}
      about={{ inventory: name, findings: [{ vuln_id, component_id }] }}
      choice={decision?.status ?? 'affected'}
      given={{ ...decision, fix: decision?.fix ?? fixed_in }}
      canWithdraw={decision !== null}
      renderLead={(fill) => (
        <ProposalList name={name} finding={finding} onTake={(taken) => fill(toForm(taken.status, takeOver(taken)))} />
      )}
      onClose={onClose}
    />
  )
}

const takeOver = ({ author, note, ...proposal }: FindingDecision) => ({
  ...proposal,
  note: [`${author} says so`, note].filter(Boolean).join(': ').slice(0, 1_000),
})

type ProposalListProps = { name: string; finding: FindingRow; onTake: (proposal: FindingDecision) => void }

function ProposalList({ name, finding, onTake }: ProposalListProps) {
  const { isPending, mutateAsync } = useMutation(dismissMutation)
  const send = (author: string, dismissed: boolean): Promise<unknown> =>
    mutateAsync({ name, finding, author, dismissed }).then(
      () => dismissed && showUndo('The proposal is dismissed', () => void send(author, false)),
      // A failure was told by a notice.
      () => undefined,
    )
  return finding.proposals.map((proposal) =>
    proposal.dismissed_at === null ? (
      <Proposal
        key={proposal.author}
        proposal={proposal}
        isPending={isPending}
        onTake={() => onTake(proposal)}
        onDismiss={() => void send(proposal.author, true)}
      />
    ) : (
      <Group key={proposal.author} justify="space-between">
        <Text size="sm" c="dimmed">
          {describe(proposal)}. Dismissed{proposal.dismissed_by && ` by ${proposal.dismissed_by}`} on{' '}
          <Timestamp at={proposal.dismissed_at} withTime />
        </Text>
        <WriteButton size="xs" loading={isPending} onClick={() => void send(proposal.author, false)}>
          Bring back
        </WriteButton>
      </Group>
    ),
  )
}

const describe = ({ author, status }: FindingDecision) => `${author} proposes: ${decisionWords[status].toLowerCase()}`

type One = { proposal: FindingDecision; isPending: boolean; onTake: () => void; onDismiss: () => void }

function Proposal({ proposal, isPending, onTake, onDismiss }: One) {
  const { justification, note, decided_at } = proposal
  return (
    <Alert title={describe(proposal)}>
      <Text size="sm">
        {justification && `${reasonWords[justification]}. `}
        {note}
      </Text>
      <Text size="xs" c="dimmed">
        Of <Timestamp at={decided_at} withTime />
      </Text>
      <Group mt="xs">
        <WriteButton size="xs" onClick={onTake}>
          Take over
        </WriteButton>
        <WriteButton size="xs" loading={isPending} onClick={onDismiss}>
          Dismiss
        </WriteButton>
      </Group>
    </Alert>
  )
}
