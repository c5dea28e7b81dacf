import * as z from 'zod'
import { BadDocument } from './bad-document'
import { findMembers, parseMember, parseSlice, readElements } from './json-text'
import { addEdge, addPart, lettersPerPart, newDraft, type DraftSteps } from './part'
import { takeSubject, toNames } from './spdx'

const Typed = z.object({ type: z.string() })
const Identifier = z.object({ externalIdentifierType: z.string(), identifier: z.string() })
const Package = z.object({
  spdxId: z.string().min(1),
  name: z.string(),
  software_packageVersion: z.string().optional(),
  software_packageUrl: z.string().optional(),
  externalIdentifier: z.array(Identifier).optional(),
})
const Relationship = z.object({ from: z.string(), to: z.array(z.string()), relationshipType: z.string() })
const Licence = z.object({ spdxId: z.string(), simplelicensing_licenseExpression: z.string() })
const Rooted = z.object({ rootElement: z.array(z.string()).optional() })

type Found = {
  packages: { place: string; found: z.output<typeof Package> }[]
  relationships: z.output<typeof Relationship>[]
  expressions: Map<string, string>
  roots: string[]
}

/** Source: SPDX 3.0.1, JSON-LD serialization. */
export function* readSpdx3(text: string): DraftSteps {
  const members = findMembers(text)
  const context = members.get('@context')
  if (context) parseSlice(text, context)
  const written = context ? text.slice(context.start, context.end) : ''
  if (!/spdx\.org\\?\/rdf\\?\/3\.0/.test(written))
    throw new BadDocument('@context', 'Must name the context of SPDX 3.0')
  const graph = members.get('@graph')
  if (!graph) throw new BadDocument('@graph', 'Is missing')

  const found: Found = { packages: [], relationships: [], expressions: new Map(), roots: [] }
  for (const [element, place] of readElements(text, graph, '@graph')) {
    readElement(found, element, place)
    yield lettersPerPart
  }
  return toDraft(found)
}

function readElement(found: Found, element: unknown, place: string) {
  const { type } = parseMember(Typed, element, place)
  if (type === 'software_Package') found.packages.push({ place, found: parseMember(Package, element, place) })
  else if (type === 'Relationship' || type === 'LifecycleScopedRelationship')
    found.relationships.push(parseMember(Relationship, element, place))
  else if (type === 'simplelicensing_LicenseExpression') {
    const { spdxId, simplelicensing_licenseExpression: expression } = parseMember(Licence, element, place)
    found.expressions.set(spdxId, expression)
  } else if (type === 'software_Sbom' || type === 'SpdxDocument') {
    const { rootElement = [] } = parseMember(Rooted, element, place)
    for (const root of rootElement) found.roots.push(root)
  }
}

const licenceTypes = new Set(['hasConcludedLicense', 'hasDeclaredLicense'])
const edgeTypes = new Set(['dependsOn', 'contains', 'hasDynamicLink', 'hasStaticLink', 'hasOptionalDependency'])

function toDraft({ packages, relationships, expressions, roots }: Found) {
  const draft = newDraft('SPDX 3.0 JSON-LD')
  const licences = new Map(
    relationships
      .filter(({ relationshipType }) => licenceTypes.has(relationshipType))
      .map(({ from, to }): [string, string | undefined] => [from, expressions.get(to[0] ?? '')]),
  )
  for (const { place, found } of packages) {
    const refs = (found.externalIdentifier ?? []).map((one): [string, string] => [
      one.externalIdentifierType,
      one.identifier,
    ])
    const { purl, cpe } = toNames(refs)
    const names = {
      name: found.name,
      version: found.software_packageVersion,
      purl: found.software_packageUrl ?? purl,
      cpe,
    }
    addPart(draft, { ref: found.spdxId, ...names, licence: licences.get(found.spdxId) }, place)
  }
  for (const { from, to, relationshipType } of relationships) {
    if (relationshipType === 'describes') for (const one of to) draft.roots.push(one)
    if (edgeTypes.has(relationshipType)) for (const one of to) addEdge(draft, from, one)
  }
  const known = new Set(draft.parts.map(({ ref }) => ref))
  return takeSubject(
    draft,
    [...roots, ...draft.roots].filter((ref) => known.has(ref)),
  )
}
