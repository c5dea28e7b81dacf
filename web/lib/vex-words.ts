import type { VexJustification, VexStatus } from '../../worker/domain/decisions/vex'

export const decisionWords: Record<VexStatus, string> = {
  affected: 'Affected',
  not_affected: 'Not affected',
  fixed: 'Fixed',
  under_investigation: 'Under investigation',
}

export const reasonWords: Record<VexJustification, string> = {
  component_not_present: 'The component is not present',
  vulnerable_code_not_present: 'The vulnerable code is not present',
  vulnerable_code_not_in_execute_path: 'The vulnerable code is never run',
  vulnerable_code_cannot_be_controlled_by_adversary: 'No attacker can reach the vulnerable code',
  inline_mitigations_already_exist: 'Mitigations are in place',
}
