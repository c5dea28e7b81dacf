import type { VexJustification, VexStatus } from '../../domain/vex'

export type VexStatement = {
  vuln_id: number
  cveid: string | null
  summary: string
  component: { id: number; name: string; version: string | null; purl: string | null; cpe: string | null }
  status: VexStatus
  justification: VexJustification | null
  note: string | null
  fixed_in: string | null
  at: string
}

export type VexSubject = { name: string; page: string; author: string; now: string }

export const vulnName = ({ cveid, vuln_id }: VexStatement) => cveid ?? `PH-${vuln_id}`
export const productRef = ({ component }: VexStatement) => `component-${component.id}`

export function productName({ component: { name, version } }: VexStatement) {
  return version ? `${name} ${version}` : name
}

export const describeAction = ({ note, fixed_in, component }: VexStatement) =>
  note ?? (fixed_in ? `Upgrade ${component.name} to ${fixed_in}` : 'No source names a version that fixes it yet')

export const describeImpact = ({ note, justification }: VexStatement) =>
  note ?? justification?.replaceAll('_', ' ') ?? 'Judged not to be affected'
