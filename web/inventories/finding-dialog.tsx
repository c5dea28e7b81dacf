import type { FindingRow } from '../../worker/inventories/contract'
import type { FindingDecision } from '../../worker/inventories/decision-contract'
import { DecideDialog } from '../decisions/decide-dialog'
import { toForm } from '../decisions/decide-form'
import { ProposalList } from './proposal-list'

type Props = { name: string; finding: FindingRow; onClose: () => void }

export function FindingDialog({ name, finding, onClose }: Props) {
  const { vuln_id, component_id, cveid, component, version, decision, fixed_in } = finding
  return (
    <DecideDialog
      title={`${cveid ?? `PH-${vuln_id}`} in ${component} ${version ?? ''}`}
      about={{ inventory: name, findings: [{ vuln_id, component_id }] }}
      choice={decision?.status ?? 'affected'}
      given={{ ...decision, fix: decision?.fix ?? fixed_in }}
      canWithdraw={decision !== null}
      renderLead={(fill) => (
        <ProposalList name={name} finding={finding} onTake={(one) => fill(toForm(one.status, takeOver(one)))} />
      )}
      onClose={onClose}
    />
  )
}

const takeOver = ({ author, note, ...proposal }: FindingDecision) => ({
  ...proposal,
  note: [`${author} says so`, note].filter(Boolean).join(': ').slice(0, 1_000),
})
