import * as z from 'zod'
import { BadDocument } from './bad-document'
import { findMembers, memberReader, parseMember, parseSlice, readElements, type TextSpan } from './json-text'
import {
  addEdge,
  addPart,
  addSubject,
  componentScopes,
  lettersPerPart,
  newDraft,
  requireDepth,
  requireFewEntries,
} from './part'
import type { Draft, DraftSteps } from './part'
import { readSourceProperties } from './source-package'

/** The versions of CycloneDX that are read, and what each added to the types of a component. */
const typesSince = new Map<string, string[]>([
  ['1.2', ['application', 'framework', 'library', 'container', 'operating-system', 'device', 'firmware', 'file']],
  ['1.3', []],
  ['1.4', []],
  ['1.5', ['platform', 'device-driver', 'machine-learning-model', 'data']],
  ['1.6', ['cryptographic-asset']],
  ['1.7', []],
])

export const cyclonedxVersions = [...typesSince.keys()]

export function componentRules(specVersion: string) {
  const types = cyclonedxVersions
    .slice(0, cyclonedxVersions.indexOf(specVersion) + 1)
    .flatMap((version) => typesSince.get(version) ?? [])
  return { types, needsVersion: specVersion === '1.2' || specVersion === '1.3' }
}

const Licence = z.object({
  license: z.object({ id: z.string().optional(), name: z.string().optional() }).optional(),
  expression: z.string().optional(),
})

const Properties = z.array(z.object({ name: z.string(), value: z.string().optional() })).optional()

function componentSchema(specVersion: string) {
  const { types, needsVersion } = componentRules(specVersion)
  return z.object({
    type: z.enum(types),
    name: z.string(),
    group: z.string().optional(),
    version: needsVersion ? z.string() : z.string().optional(),
    purl: z.string().optional(),
    cpe: z.string().optional(),
    'bom-ref': z.string().min(1).optional(),
    scope: z.enum(componentScopes).optional(),
    licenses: z.array(Licence).optional(),
    properties: Properties.catch(undefined),
    components: z.array(z.unknown()).optional(),
  })
}
type ComponentSchema = ReturnType<typeof componentSchema>
type JsonComponent = z.output<ComponentSchema>

const Dependency = z.object({ ref: z.string(), dependsOn: z.array(z.string()).optional() })
const Metadata = z.object({ component: z.unknown().optional() })

export function* readCyclonedxJson(text: string): DraftSteps {
  const members = findMembers(text)
  const read = memberReader(text, members)
  read('bomFormat', z.literal('CycloneDX'))
  const specVersion = requireVersion(read('specVersion', z.string()))
  read('version', versionRule(specVersion))

  const draft = newDraft(`CycloneDX ${specVersion} JSON`)
  const schema = componentSchema(specVersion)
  const metadata = read('metadata', Metadata.optional())
  if (metadata?.component !== undefined) readSubject(draft, schema, metadata.component)
  for (const [element, place] of readElements(text, members.get('components'), 'components')) {
    readTree(draft, schema, element, place)
    yield lettersPerPart
  }
  for (const [element, place] of readElements(text, members.get('dependencies'), 'dependencies')) {
    const { ref, dependsOn = [] } = parseMember(Dependency, element, place)
    for (const needed of dependsOn) addEdge(draft, ref, needed)
    yield lettersPerPart
  }
  requireJson(text, members, ['components', 'dependencies', 'metadata'])
  return draft
}

/** Unused members must be JSON all the same: a document that is broken anywhere is not imported by half. */
function requireJson(text: string, members: Map<string, TextSpan>, read: string[]) {
  for (const [name, slice] of members) {
    if (read.includes(name)) continue
    if (text[slice.start] === '[') for (const _ of readElements(text, slice, name));
    else parseSlice(text, slice)
  }
}

// Of the document itself: required before 1.5, at least 1 since then.
const versionRule = (specVersion: string) => (specVersion < '1.5' ? z.int() : z.int().min(1).optional())

export function requireVersion(specVersion: string) {
  if (!cyclonedxVersions.includes(specVersion))
    throw new BadDocument(
      'specVersion',
      `CycloneDX ${specVersion.slice(0, 20)} is not read, ${cyclonedxVersions.join(', ')} are`,
    )
  return specVersion
}

function readSubject(draft: Draft, schema: ComponentSchema, value: unknown) {
  const subject = parseMember(schema, value, 'metadata.component')
  draft.subject = [fullName(subject.group, subject.name), subject.version].filter(Boolean).join(' ')
  if (subject['bom-ref']) draft.roots.push(subject['bom-ref'])
  addSubject(draft, toPart(subject))
  subject.components?.forEach((nested, at) => readTree(draft, schema, nested, `metadata.component.components[${at}]`))
}

// Nested components are read one after the other: a tree may be deeper than the stack.
function readTree(draft: Draft, schema: ComponentSchema, value: unknown, place: string) {
  const open = [{ value, place, depth: 1, parent: '' }]
  for (let next = open.pop(); next; next = open.pop()) {
    requireDepth(next.depth, next.place)
    const component = parseMember(schema, next.value, next.place)
    addPart(draft, toPart(component), next.place)
    const { parts } = draft
    const ref = parts[parts.length - 1]?.ref ?? ''
    if (next.parent) addEdge(draft, next.parent, ref)
    requireFewEntries(open.length + (component.components?.length ?? 0), next.place)
    for (const [at, nested] of (component.components ?? []).entries())
      open.push({ value: nested, place: `${next.place}.components[${at}]`, depth: next.depth + 1, parent: ref })
  }
}

const toPart = ({ group, name, licenses = [], properties, ...component }: JsonComponent) => ({
  ...component,
  source: readSourceProperties(properties),
  ref: component['bom-ref'],
  name: fullName(group, name),
  licence: licenses
    .flatMap(({ license, expression }) => expression ?? license?.id ?? license?.name ?? [])
    .join(' AND '),
})

export const fullName = (group: string | undefined, name: string) => (group ? `${group}/${name}` : name)
