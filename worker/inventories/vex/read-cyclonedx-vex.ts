import { z } from 'zod'
import type { VexJustification, VexStatus } from '../../domain/vex'
import { parseMember } from '../read/json-text'
import type { ReadVex, VexProposal } from './proposal'

const states = {
  resolved: 'fixed',
  resolved_with_pedigree: 'fixed',
  exploitable: 'affected',
  in_triage: 'under_investigation',
  false_positive: 'not_affected',
  not_affected: 'not_affected',
} as const satisfies Record<string, VexStatus>

/** The nearest of the five reasons that VEX knows. */
const reasons = new Map<string, VexJustification>([
  ['code_not_present', 'vulnerable_code_not_present'],
  ['code_not_reachable', 'vulnerable_code_not_in_execute_path'],
  ['requires_configuration', 'vulnerable_code_cannot_be_controlled_by_adversary'],
  ['requires_dependency', 'component_not_present'],
  ['requires_environment', 'vulnerable_code_cannot_be_controlled_by_adversary'],
  ['protected_by_compiler', 'inline_mitigations_already_exist'],
  ['protected_at_runtime', 'inline_mitigations_already_exist'],
  ['protected_at_perimeter', 'inline_mitigations_already_exist'],
  ['protected_by_mitigating_control', 'inline_mitigations_already_exist'],
])

const Party = z.object({ name: z.string().optional() }).optional()
const Cyclonedx = z.object({
  bomFormat: z.literal('CycloneDX'),
  metadata: z
    .object({
      supplier: Party,
      manufacturer: Party,
      authors: z.array(z.object({ name: z.string().optional() })).optional(),
    })
    .optional(),
  components: z
    .array(z.object({ 'bom-ref': z.string().optional(), purl: z.string().optional(), cpe: z.string().optional() }))
    .optional(),
  vulnerabilities: z.array(
    z.object({
      id: z.string(),
      analysis: z
        .object({
          state: z.enum(Object.keys(states) as [keyof typeof states]).optional(),
          justification: z.string().optional(),
          detail: z.string().optional(),
        })
        .optional(),
      affects: z.array(z.object({ ref: z.string() })).optional(),
    }),
  ),
})

/** Source: CycloneDX 1.4 to 1.7, "vulnerabilities"; what was not analysed says nothing. */
export function readCyclonedxVex(document: unknown): ReadVex {
  const { metadata, components = [], vulnerabilities } = parseMember(Cyclonedx, document, '')
  const names = new Map(components.map((one) => [one['bom-ref'], [one.purl, one.cpe].flatMap((name) => name ?? [])]))
  const proposals = vulnerabilities.flatMap(({ id, analysis, affects = [] }): VexProposal[] =>
    analysis?.state
      ? [
          {
            vuln: id,
            products: affects.flatMap(({ ref }) => names.get(ref) ?? [ref]),
            status: states[analysis.state],
            justification: reasons.get(analysis.justification ?? '') ?? null,
            note: analysis.detail ?? null,
          },
        ]
      : [],
  )
  const author = metadata?.supplier?.name ?? metadata?.manufacturer?.name ?? metadata?.authors?.[0]?.name
  return { author: author || 'A CycloneDX document without an author', proposals }
}
