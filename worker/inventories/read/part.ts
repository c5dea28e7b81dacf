import { parseCpe, versionInCpe } from '../../domain/names/cpe'
import { parsePurl } from '../../domain/names/purl'
import { BadDocument } from './bad-document'
import { spellModule, withUpstream } from './source-package'

export const componentScopes = ['required', 'optional', 'excluded'] as const
export type ComponentScope = (typeof componentScopes)[number]

/** `ref` is how the document's dependencies name it. */
export type DraftPart = {
  ref: string
  name: string
  version: string | null
  purl: string | null
  cpe: string | null
  scope: ComponentScope
  licence: string | null
}

/** `edges` lead from a component to what it needs; `roots` are what the document is about. */
export type Draft = {
  format: string
  subject: string | null
  parts: DraftPart[]
  edges: Map<string, string[]>
  roots: string[]
}

/** A reader tells at each part how long that took, as so many letters read: its driver lets others in meanwhile. */
export type DraftSteps = Generator<number, Draft>
export const lettersPerPart = 200

/** So many components are judged at once; the largest products have a tenth of them. */
const maxComponents = 20_000
/** Components and what is listed beside them, such as packages of its own and properties: each is held as 100 to 300 bytes. */
const maxEntries = 100_000
const maxText = 500
const maxLicence = 200
const maxDepth = 100

export const newDraft = (format: string): Draft => ({ format, subject: null, parts: [], edges: new Map(), roots: [] })

type Given = { [field in Exclude<keyof DraftPart, 'scope'>]?: string | null | undefined } & {
  scope?: ComponentScope | undefined
  source?: Parameters<typeof withUpstream>[1]
}

export function addPart(draft: Draft, given: Given, place: string) {
  const name = requireText(given.name, `${place}.name`)
  if (!name) throw new BadDocument(place, 'A component needs a name')
  if (draft.parts.length === maxComponents)
    throw new BadDocument(place, `There are more than ${maxComponents.toLocaleString('en')} components`)
  const purl = spellModule(name, withUpstream(requireText(given.purl, `${place}.purl`) || null, given.source))
  const cpe = requireText(given.cpe, `${place}.cpe`) || null
  const stated = requireText(given.version, `${place}.version`)
  const version = (!noVersion.has(stated) && stated) || versionInNames(purl, cpe)
  draft.parts.push({
    ref: given.ref || `${name}@${version ?? ''}#${draft.parts.length}`,
    name,
    version,
    purl,
    cpe,
    scope: given.scope ?? 'required',
    licence: given.licence?.trim().slice(0, maxLicence) || null,
  })
}

/** The subject of a document is a component of its own where the document names it so that it can be looked for. */
export function addSubject(draft: Draft, { ref: _, ...given }: Given) {
  if (given.purl?.trim() || given.cpe?.trim()) addPart(draft, given, 'metadata.component')
}

/** In CPE's words: not applicable, and any. */
const noVersion = new Set(['-', '*'])

function versionInNames(purl: string | null, cpe: string | null) {
  const parsed = cpe === null ? null : parseCpe(cpe)
  return (purl && parsePurl(purl)?.version) || (parsed && versionInCpe(parsed)) || null
}

export function addEdge(draft: Draft, from: string, to: string) {
  const known = draft.edges.get(from)
  if (known) known.push(to)
  else draft.edges.set(from, [to])
  requireFewEntries(draft.edges.size, '')
}

export function splitFew(text: string, separator: RegExp, place: string) {
  const pieces = text.split(separator, maxEntries + 1)
  requireFewEntries(pieces.length, place)
  return pieces
}

export function requireFewEntries(count: number, place: string) {
  if (count > maxEntries) throw new BadDocument(place, `There are more than ${maxEntries.toLocaleString('en')} entries`)
}

export function requireDepth(depth: number, place: string) {
  if (depth > maxDepth) throw new BadDocument(place, `Components are nested deeper than ${maxDepth}`)
}

function requireText(text: string | null | undefined, place: string) {
  const trimmed = text?.trim().replace(/\s+/g, ' ') ?? ''
  if (trimmed.length > maxText) throw new BadDocument(place, `Must not be longer than ${maxText} characters`)
  if (/[\p{Cc}]/u.test(trimmed)) throw new BadDocument(place, 'Must not hold control characters')
  return trimmed
}
