/** Status of a product and a vulnerability (OpenVEX, CSAF 2.0 profile 5); not the status of an organization's work. */
export const vexStatuses = ['affected', 'not_affected', 'fixed', 'under_investigation'] as const
export type VexStatus = (typeof vexStatuses)[number]

/** Why a product is not affected, as CISA's "VEX Status Justifications" names it. */
export const vexJustifications = [
  'component_not_present',
  'vulnerable_code_not_present',
  'vulnerable_code_not_in_execute_path',
  'vulnerable_code_cannot_be_controlled_by_adversary',
  'inline_mitigations_already_exist',
] as const
export type VexJustification = (typeof vexJustifications)[number]
