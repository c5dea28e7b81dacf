import { formatPurl } from '../../domain/names/purl'
import { BadDocument } from './bad-document'
import { addPart, newDraft, requireFewEntries, type ComponentScope, type Draft, type DraftSteps } from './part'
import { readXml } from './xml-text'

type Dependency = { place: string; isManaged: boolean; fields: Map<string, string> }

const fieldNames = new Set(['groupId', 'artifactId', 'version', 'scope', 'optional'])
const excludedScopes = ['test', 'provided', 'system']

/** Direct dependencies. Inherited and imported versions stand in other files, so a version may be unknown. */
export function* readPom(text: string): DraftSteps {
  const draft = newDraft('pom.xml')
  const properties = new Map<string, string>()
  const project = new Map<string, string>()
  const found: Dependency[] = []
  let open: Dependency | undefined
  yield* readXml(text, {
    open({ name, place }, path) {
      const steps = path.join('/')
      if (path.length === 1 && name !== 'project') throw new BadDocument(place, 'The root must be a project')
      requireFewEntries(found.length + properties.size + project.size, place)
      const isManaged = steps === 'project/dependencyManagement/dependencies/dependency'
      if (isManaged || steps === 'project/dependencies/dependency') open = { place, isManaged, fields: new Map() }
    },
    close({ name }, path, content) {
      const steps = path.join('/')
      if (path.length === 3 && steps.startsWith('project/properties/')) properties.set(name, content.slice(0, maxValue))
      else if (path.length === 2) project.set(name, content.slice(0, maxValue))
      else if (steps === 'project/parent/version' || steps === 'project/parent/groupId')
        project.set(`parent.${name}`, content.slice(0, maxValue))
      else if (open && name === 'dependency' && path.at(-2) === 'dependencies') {
        found.push(open)
        open = undefined
      } else if (open && path.at(-2) === 'dependency' && fieldNames.has(name)) open.fields.set(name, content)
    },
  })
  const fill = filler(project, properties)
  draft.subject = [fill(project.get('artifactId')), fill(project.get('version'))].filter(Boolean).join(' ') || null
  const managed = new Map(
    found.filter(({ isManaged }) => isManaged).map(({ fields }) => [nameIn(fields, fill), fill(fields.get('version'))]),
  )
  for (const { isManaged, fields, place } of found)
    if (!isManaged) addDependency(draft, { fields, place, managed, fill })
  return draft
}

type Fill = (text: string | undefined) => string

const nameIn = (fields: Map<string, string>, fill: Fill) =>
  `${fill(fields.get('groupId'))}:${fill(fields.get('artifactId'))}`

type Found = { fields: Map<string, string>; place: string; managed: Map<string, string>; fill: Fill }

function addDependency(draft: Draft, { fields, place, managed, fill }: Found) {
  const name = nameIn(fields, fill)
  if (name.startsWith(':') || name.endsWith(':'))
    throw new BadDocument(place, 'A dependency needs a groupId and an artifactId')
  const given = fill(fields.get('version')) || managed.get(name) || ''
  // A range or a property of another file is no version.
  const version = /^[^${}[\](),\s]+$/.test(given) ? given : ''
  addPart(draft, { name, version, purl: formatPurl('maven', name, version), scope: readScope(fields) }, place)
}

function readScope(fields: Found['fields']): ComponentScope {
  if (excludedScopes.includes(fields.get('scope') ?? '')) return 'excluded'
  return fields.get('optional') === 'true' ? 'optional' : 'required'
}

const maxRounds = 5
const maxValue = 1_000

function filler(project: Map<string, string>, properties: Map<string, string>): Fill {
  const value = (name: string) =>
    properties.get(name) ??
    project.get(name.replace(/^(?:project|pom)\./, '')) ??
    (/^(?:project|pom)\.(?:version|groupId)$/.test(name) ? project.get(`parent.${name.split('.')[1]}`) : undefined)
  return (text = '') => {
    let filled = text
    // A property may name another, and two may name each other without end.
    for (let round = 0; round < maxRounds && filled.includes('${') && filled.length < maxValue; round++)
      filled = filled.replace(/\$\{([\w.-]+)\}/g, (whole, name: string) => value(name) ?? whole)
    return filled.slice(0, maxValue)
  }
}
