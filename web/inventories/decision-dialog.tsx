import '@mantine/core/styles/Alert.css'
import { Alert, Button, Group, Modal, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { vexJustifications, vexStatuses } from '../../worker/domain/vex'
import type { VexJustification, VexStatus } from '../../worker/domain/vex'
import type { FindingRow } from '../../worker/inventories/contract'
import type { FindingDecision } from '../../worker/inventories/decision-contract'
import { decideMutation } from './api'
import { ProposalList } from './proposal-list'
import { decisionWords, reasonWords } from '../lib/vex-words'
import { useFocusBack } from '../ui/focus-back'

type Draft = {
  status: VexStatus
  justification: VexJustification
  note: string
  fix: string
  owner: string
  expires_at: string
}

const toDraft = (finding: FindingRow, given: FindingDecision | null): Draft => ({
  status: given?.status ?? 'affected',
  justification: given?.justification ?? 'vulnerable_code_not_present',
  note: given?.note ?? '',
  fix: given?.fix ?? finding.fixed_in ?? '',
  owner: given?.owner ?? '',
  expires_at: given?.expires_at ?? '',
})

type Props = { name: string; finding: FindingRow; onClose: () => void }

export function DecisionDialog({ name, finding, onClose }: Props) {
  useFocusBack()
  const [draft, setDraft] = useState(() => toDraft(finding, finding.decision))
  const { isPending, mutate, error } = useMutation(decideMutation)
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change })
  const send = (decision: Parameters<typeof mutate>[0]['decision']) =>
    mutate({ name, finding, decision }, { onSuccess: onClose })
  const { status, justification, note, fix, owner, expires_at } = draft
  const save = () =>
    send({
      status,
      justification: status === 'not_affected' ? justification : null,
      note: note || null,
      fix: status === 'affected' ? fix || null : null,
      owner: owner || null,
      expires_at: expires_at || null,
    })
  return (
    <Modal
      opened
      onClose={onClose}
      title={`${finding.cveid ?? `PH-${finding.vuln_id}`} in ${finding.component} ${finding.version ?? ''}`}
      size="lg"
      centered
    >
      <Stack gap="sm">
        <ProposalList name={name} finding={finding} onTake={(one) => setDraft(toDraft(finding, takeOver(one)))} />
        <StatusFields draft={draft} onChange={set} />
        <DecisionDetails note={note} owner={owner} expires_at={expires_at} onChange={set} />
        {error && (
          <Alert color="red" role="alert">
            {error.message}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          {finding.decision && (
            <Button variant="default" disabled={isPending} onClick={() => send(null)}>
              Withdraw
            </Button>
          )}
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={isPending} onClick={save}>
            Decide
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

type Change = (change: Partial<Draft>) => void

function StatusFields({ draft: { status, justification, fix }, onChange: set }: { draft: Draft; onChange: Change }) {
  return (
    <>
      <NativeSelect
        label="Decision"
        value={status}
        data={vexStatuses.map((value) => ({ value, label: decisionWords[value] }))}
        onChange={({ currentTarget: { value } }) => set({ status: vexStatuses.find((one) => one === value) })}
        data-autofocus
      />
      {status === 'not_affected' && (
        <NativeSelect
          label="Justification"
          value={justification}
          data={vexJustifications.map((value) => ({ value, label: reasonWords[value] }))}
          onChange={({ currentTarget: { value } }) =>
            set({ justification: vexJustifications.find((one) => one === value) })
          }
        />
      )}
      {status === 'affected' && (
        <TextInput
          label="Upgrade to"
          description="The version you will upgrade to. It is part of the VEX document."
          maxLength={100}
          value={fix}
          onChange={({ currentTarget: { value } }) => set({ fix: value })}
        />
      )}
    </>
  )
}

type DetailProps = Pick<Draft, 'note' | 'owner' | 'expires_at'> & { onChange: Change }

function DecisionDetails({ note, owner, expires_at, onChange }: DetailProps) {
  return (
    <>
      <Textarea
        label="Note"
        autosize
        minRows={2}
        maxLength={1_000}
        value={note}
        onChange={({ currentTarget: { value } }) => onChange({ note: value })}
      />
      <Group gap="sm" grow>
        <TextInput
          label="Owner"
          description="A person or team"
          maxLength={100}
          value={owner}
          onChange={({ currentTarget: { value } }) => onChange({ owner: value })}
        />
        <TextInput
          type="date"
          label="Valid until"
          description="After that the finding is open again"
          value={expires_at}
          onChange={({ currentTarget: { value } }) => onChange({ expires_at: value })}
        />
      </Group>
    </>
  )
}

const takeOver = ({ author, note, ...proposal }: FindingDecision): FindingDecision => ({
  ...proposal,
  author,
  note: [`${author} says so`, note].filter(Boolean).join(': ').slice(0, 1_000),
})
