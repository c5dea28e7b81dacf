import * as z from 'zod'
import { findMembers, memberReader, parseMember, readElements } from './json-text'
import { addEdge, addPart, lettersPerPart, newDraft, type Draft, type DraftSteps } from './part'
import { BadDocument } from './bad-document'
import { readSourceInfo } from './source-package'

const versions = ['SPDX-2.2', 'SPDX-2.3']
const documentRef = 'SPDXRef-DOCUMENT'

const ExternalRef = z.object({ referenceType: z.string(), referenceLocator: z.string() })
const Package = z.object({
  SPDXID: z.string().min(1),
  name: z.string(),
  downloadLocation: z.string(),
  versionInfo: z.string().optional(),
  sourceInfo: z.string().optional().catch(undefined),
  licenseConcluded: z.string().optional(),
  licenseDeclared: z.string().optional(),
  externalRefs: z.array(ExternalRef).optional(),
})
const Relationship = z.object({
  spdxElementId: z.string(),
  relatedSpdxElement: z.string(),
  relationshipType: z.string(),
})

export function* readSpdxJson(text: string): DraftSteps {
  const members = findMembers(text)
  const read = memberReader(text, members)
  const spdxVersion = requireSpdxVersion(read('spdxVersion', z.string()), 'spdxVersion')
  const draft = newDraft(`${spdxVersion.replace('-', ' ')} JSON`)
  for (const name of ['SPDXID', 'name', 'dataLicense']) read(name, z.string())
  read('creationInfo', z.object({}))
  const described = read('documentDescribes', z.array(z.string()).optional())
  for (const [element, place] of readElements(text, members.get('packages'), 'packages')) {
    const { SPDXID, externalRefs = [], ...found } = parseMember(Package, element, place)
    const refs = externalRefs.map((one): [string, string] => [one.referenceType, one.referenceLocator])
    const licence = chooseLicence(found.licenseConcluded, found.licenseDeclared)
    const own = { ref: SPDXID, name: found.name, version: found.versionInfo, source: readSourceInfo(found.sourceInfo) }
    addPart(draft, { ...own, ...toNames(refs), licence }, place)
    yield lettersPerPart
  }
  for (const [element, place] of readElements(text, members.get('relationships'), 'relationships')) {
    const found = parseMember(Relationship, element, place)
    addRelationship(draft, found.spdxElementId, found.relationshipType, found.relatedSpdxElement)
    yield lettersPerPart
  }
  return takeSubject(draft, [...(described ?? []), ...draft.roots])
}

export function requireSpdxVersion(version: string, place: string) {
  if (!versions.includes(version))
    throw new BadDocument(place, `${version.slice(0, 20)} is not read, ${versions.join(', ')} and SPDX-3.0 are`)
  return version
}

export function toNames(refs: [type: string, locator: string][]) {
  const find = (...types: string[]) => refs.find(([type]) => types.includes(type))?.[1]
  return {
    purl: find('purl', 'packageUrl', 'packageURL'),
    cpe: find('cpe23Type', 'cpe23') ?? find('cpe22Type', 'cpe22'),
  }
}

export const chooseLicence = (...licences: (string | undefined)[]) =>
  licences.find((licence) => licence && licence !== 'NOASSERTION' && licence !== 'NONE')

const leadDown = new Set(['DEPENDS_ON', 'CONTAINS', 'DYNAMIC_LINK', 'STATIC_LINK', 'HAS_PREREQUISITE'])
const leadUp = new Set([
  'DEPENDENCY_OF',
  'CONTAINED_BY',
  'RUNTIME_DEPENDENCY_OF',
  'BUILD_DEPENDENCY_OF',
  'DEV_DEPENDENCY_OF',
  'OPTIONAL_DEPENDENCY_OF',
  'TEST_DEPENDENCY_OF',
  'PROVIDED_DEPENDENCY_OF',
  'PREREQUISITE_FOR',
])

export function addRelationship(draft: Draft, from: string, type: string, to: string) {
  if (type === 'DESCRIBES' && from === documentRef) draft.roots.push(to)
  else if (type === 'DESCRIBED_BY' && to === documentRef) draft.roots.push(from)
  else if (leadDown.has(type)) addEdge(draft, from, to)
  else if (leadUp.has(type)) addEdge(draft, to, from)
}

/** A described package that something else is listed beside is no component of itself. */
export function takeSubject(draft: Draft, roots: string[]): Draft {
  const [root, ...others] = new Set(roots)
  const subject = others.length ? undefined : draft.parts.find(({ ref }) => ref === root)
  if (!subject || draft.parts.length === 1 || !draft.edges.has(subject.ref)) return { ...draft, roots }
  return {
    ...draft,
    subject: [subject.name, subject.version].filter(Boolean).join(' '),
    parts: subject.purl || subject.cpe ? draft.parts : draft.parts.filter((part) => part !== subject),
    roots,
  }
}
