import { BadDocument } from './bad-document'
import { addPart, newDraft, requireFewEntries, type Draft, type DraftSteps } from './part'
import { readSourceInfo } from './source-package'
import { addRelationship, chooseLicence, requireSpdxVersion, takeSubject, toNames } from './spdx'

type OpenPackage = { place: string; tags: Map<string, string>; refs: [string, string][] }

export function* readSpdxTagValue(text: string): DraftSteps {
  const draft = newDraft('SPDX tag-value')
  let open: OpenPackage | undefined
  const close = () => {
    if (open) closePackage(draft, open)
    open = undefined
  }
  for (const { tag, value, place } of readTags(text)) {
    yield value.length
    if (tag === 'SPDXVersion') draft.format = `${requireSpdxVersion(value, place).replace('-', ' ')} tag-value`
    else if (tag === 'PackageName') {
      close()
      open = { place, tags: new Map([[tag, value]]), refs: [] }
    } else if (tag === 'FileName' || tag === 'SnippetSPDXID' || tag === 'LicenseID') close()
    else if (tag === 'Relationship') addRelationship(draft, ...toRelationship(value, place))
    else if (tag === 'ExternalRef') open?.refs.push(toReference(value, place))
    else open?.tags.set(tag, value)
    if (open) requireFewEntries(open.tags.size + open.refs.length, place)
  }
  close()
  if (draft.format === 'SPDX tag-value') throw new BadDocument('line 1', 'SPDXVersion is missing')
  return takeSubject(draft, draft.roots)
}

function* readTags(text: string) {
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]?.trim() ?? ''
    if (!line || line.startsWith('#')) continue
    const place = `line ${at + 1}`
    const colon = line.indexOf(':')
    if (colon < 1) throw new BadDocument(place, 'Expected "Tag: value"')
    let value = line.slice(colon + 1).trim()
    if (value.startsWith('<text>')) {
      while (!value.endsWith('</text>')) {
        if (++at >= lines.length) throw new BadDocument(place, 'A <text> does not end')
        value = lines[at]?.trimEnd().endsWith('</text>') ? '</text>' : value
      }
    }
    yield { tag: line.slice(0, colon).trim(), value, place }
  }
}

function closePackage(draft: Draft, { place, tags, refs }: OpenPackage) {
  const ref = tags.get('SPDXID')
  if (!ref) throw new BadDocument(place, 'A package needs an SPDXID')
  const licence = chooseLicence(tags.get('PackageLicenseConcluded'), tags.get('PackageLicenseDeclared'))
  const [name, version] = [tags.get('PackageName'), tags.get('PackageVersion')]
  const source = readSourceInfo(tags.get('PackageSourceInfo'))
  addPart(draft, { ref, name, version, source, ...toNames(refs), licence }, place)
}

function toRelationship(value: string, place: string): [string, string, string] {
  const [from, type, to] = value.split(/\s+/)
  if (!from || !type || !to) throw new BadDocument(place, 'A relationship needs two elements and a type between them')
  return [from, type, to]
}

function toReference(value: string, place: string): [string, string] {
  const [category, type, locator] = value.split(/\s+/)
  if (!category || !type || !locator)
    throw new BadDocument(place, 'An external reference needs a category, a type and a locator')
  return [type, locator]
}
