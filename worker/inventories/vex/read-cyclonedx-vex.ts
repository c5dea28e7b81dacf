import * as z from 'zod'
import { parseCpe, versionInCpe } from '../../domain/names/cpe'
import { formatPurl, parsePurl } from '../../domain/names/purl'
import type { VexJustification, VexStatus } from '../../domain/decisions/vex'
import { parseMember } from '../read/json-text'
import { Justification, listStatements, type ReadVex, type VexProposal } from './proposal'

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
const Parts = z.array(z.unknown()).optional()
/** Read one after the other: a million of them, each twice, would fill the memory. */
const Part = z.object({
  'bom-ref': z.string().optional(),
  purl: z.string().optional(),
  cpe: z.string().optional(),
  components: Parts,
})
const Affected = z.object({
  ref: z.string(),
  versions: z.array(z.object({ version: z.string().optional(), status: z.string().default('affected') })).optional(),
})
const Cyclonedx = z.object({
  bomFormat: z.literal('CycloneDX'),
  metadata: z
    .object({
      supplier: Party,
      manufacturer: Party,
      manufacture: Party,
      component: z.unknown().optional(),
      authors: z.array(z.object({ name: z.string().optional() })).optional(),
    })
    .optional(),
  components: Parts,
  vulnerabilities: listStatements(
    z.object({
      id: z.string().optional(),
      references: z.array(z.object({ id: z.string() })).optional(),
      recommendation: z.string().optional(),
      analysis: z
        .object({
          state: z.enum(Object.keys(states) as [keyof typeof states]).optional(),
          justification: z.string().optional(),
          detail: z.string().optional(),
        })
        .optional(),
      affects: z.array(Affected).optional(),
    }),
  ),
})

type Vulnerability = z.output<typeof Cyclonedx>['vulnerabilities'][number]

/** Source: CycloneDX 1.4 to 1.7, "vulnerabilities"; vulnerabilities without an analysis are left out. */
export function readCyclonedxVex(document: unknown): ReadVex {
  const { metadata, components = [], vulnerabilities } = parseMember(Cyclonedx, document, '')
  const names = nameParts([...(metadata?.component ? [metadata.component] : []), ...components])
  const parties = [metadata?.supplier, metadata?.manufacturer, metadata?.manufacture, ...(metadata?.authors ?? [])]
  const author = parties.find((one) => one?.name)?.name
  return {
    author: author ?? 'A CycloneDX document without an author',
    proposals: vulnerabilities.flatMap((one) => readAnalysis(one, names)),
  }
}

function readAnalysis({ id, references = [], ...said }: Vulnerability, names: Map<string, string[]>): VexProposal[] {
  const { analysis, affects = [], recommendation } = said
  if (!analysis?.state) return []
  const status = states[analysis.state]
  const reason = reasons.get(analysis.justification ?? '') ?? null
  const { justification, note } = splitDetail(analysis.detail, reason)
  return [
    {
      vulns: [...(id ? [id] : []), ...references.map((one) => one.id)],
      products: affects.flatMap((one) => listProducts(one, { names, status })),
      status,
      justification: status === 'not_affected' ? justification : null,
      note: note ?? (status === 'affected' ? recommendation : undefined) ?? null,
    },
  ]
}

function nameParts(components: unknown[]) {
  const names = new Map<string, string[]>()
  const open = [...components]
  while (open.length) {
    const part = parseMember(Part, open.pop(), 'components')
    const own = [part.purl, part.cpe].flatMap((name) => name ?? [])
    if (part['bom-ref'] !== undefined && own.length) names.set(part['bom-ref'], own)
    for (const inner of part.components ?? []) open.push(inner)
  }
  return names
}

type Affected = z.output<typeof Affected>
type Naming = { names: Map<string, string[]>; status: VexStatus }

/** Products of a reference, in its versions; a range of versions names none. */
function listProducts({ ref, versions }: Affected, { names, status }: Naming) {
  const own = names.get(ref) ?? names.get(linkedRef(ref)) ?? [linkedRef(ref)]
  if (!versions?.length) return own
  const meant = versions.filter((one) => status !== 'affected' || one.status === 'affected')
  return own.flatMap((name) => {
    const purl = parsePurl(name)
    if (!purl) return isOfAllVersions(name) ? [] : [name]
    if (purl.version !== null) return [name]
    return meant.flatMap(({ version }) => (version ? formatPurl(purl.type, purl.name, version, purl) : []))
  })
}

/** A CPE name without a version means more than the versions that a statement names. */
function isOfAllVersions(name: string) {
  const cpe = parseCpe(name)
  return cpe !== null && versionInCpe(cpe) === null
}

/** A BOM-Link (`urn:cdx:…/1#ref`) leads into another document, whose references often are purls. */
function linkedRef(ref: string) {
  const linked = ref.startsWith('urn:cdx:') ? ref.slice(ref.indexOf('#') + 1) : ref
  try {
    return decodeURIComponent(linked)
  } catch {
    return linked
  }
}

/** Our own documents begin the detail with the reason that CycloneDX has no word for. */
function splitDetail(detail: string | undefined, reason: VexJustification | null) {
  const [, word = '', note = ''] = /^(\w+)(?:: (.*))?$/s.exec(detail ?? '') ?? []
  const exact = Justification.safeParse(word).data
  return exact && reason ? { justification: exact, note: note || undefined } : { justification: reason, note: detail }
}
