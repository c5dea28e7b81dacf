import { BadDocument } from './bad-document'
import { componentRules, fullName, requireVersion } from './cyclonedx'
import { addEdge, addPart, addSubject, componentScopes, newDraft, requireDepth } from './part'
import type { ComponentScope, Draft, DraftSteps } from './part'
import { readXml, type XmlElement } from './xml-text'

/** An open component; `parent` is the reference of the one that it stands in. */
type Open = { element: XmlElement; fields: Map<string, string>; licences: string[]; parent: string; place: string }

const fieldNames = ['group', 'name', 'version', 'purl', 'cpe', 'scope']
const namespace = /^http:\/\/cyclonedx\.org\/schema\/bom\/(\d+\.\d+)$/

export function* readCyclonedxXml(text: string): DraftSteps {
  const draft = newDraft('CycloneDX XML')
  const open: Open[] = []
  let rules = componentRules('1.4')
  let count = 0
  let dependent = ''

  yield* readXml(text, {
    open(element, path) {
      const [parent = '', grandparent = ''] = [path.at(-2), path.at(-3)]
      if (path.length === 1) {
        const version = namespace.exec(element.attributes.get('xmlns') ?? '')?.[1]
        if (element.name !== 'bom' || !version)
          throw new BadDocument(element.place, 'The root must be a bom of a CycloneDX namespace')
        rules = componentRules(requireVersion(version))
        draft.format = `CycloneDX ${version} XML`
      } else if (element.name === 'component' && isComponent(path)) {
        const place = path[1] === 'metadata' && open.length === 0 ? 'metadata.component' : `component ${++count}`
        open.push(openComponent(element, { place, parent: open.at(-1) }, rules.types))
        requireDepth(open.length, element.place)
      } else if (element.name === 'dependency') {
        const ref = element.attributes.get('ref')
        if (!ref) throw new BadDocument(element.place, 'A dependency needs a ref')
        if (parent === 'dependency' && dependent) addEdge(draft, dependent, ref)
        else if (parent === 'dependencies' && grandparent === 'bom') dependent = ref
      }
    },
    close(element, path, content) {
      const component = open.at(-1)
      if (!component) return
      const depth = path.length - component.element.depth
      if (element.name === 'component' && depth === 0) {
        open.pop()
        closeComponent(draft, component, rules.needsVersion)
      } else if (depth === 1 && fieldNames.includes(element.name)) component.fields.set(element.name, content)
      else if (path[component.element.depth] === 'licenses' && isLicence(element.name, depth))
        component.licences.push(content)
    },
  })
  return draft
}

const isLicence = (name: string, depth: number) =>
  (depth === 2 && name === 'expression') || (depth === 3 && (name === 'id' || name === 'name'))

// bom/components/component, and components inside it; those of a pedigree or of a tool are not what runs.
function isComponent(path: string[]) {
  const steps = path.join('/')
  return /^bom\/(?:metadata\/component|components\/component|metadata\/component\/components\/component)(?:\/components\/component)*$/.test(
    steps,
  )
}

function openComponent(
  element: XmlElement,
  { place, parent }: { place: string; parent: Open | undefined },
  types: string[],
): Open {
  const type = element.attributes.get('type') ?? ''
  if (!types.includes(type)) throw new BadDocument(`${element.place}, ${place}`, `No type of component: "${type}"`)
  const inside = parent?.element.attributes.get('bom-ref') ?? ''
  return { element, fields: new Map(), licences: [], parent: inside, place: `${element.place}, ${place}` }
}

function closeComponent(draft: Draft, { element, fields, licences, parent, place }: Open, needsVersion: boolean) {
  const [version, scope = 'required'] = [fields.get('version'), fields.get('scope')]
  if (needsVersion && version === undefined) throw new BadDocument(place, 'A component needs a version')
  if (!isScope(scope)) throw new BadDocument(place, `No scope: "${scope.slice(0, 40)}"`)
  const name = fullName(fields.get('group'), fields.get('name') ?? '')
  const ref = element.attributes.get('bom-ref')
  const [purl, cpe] = [fields.get('purl'), fields.get('cpe')]
  const part = { ref, name, version, purl, cpe, scope, licence: licences.join(' AND ') }
  if (place.endsWith('metadata.component')) {
    draft.subject = [name, version].filter(Boolean).join(' ')
    if (ref) draft.roots.push(ref)
    addSubject(draft, part)
    return
  }
  addPart(draft, part, place)
  if (parent) addEdge(draft, parent, draft.parts.at(-1)?.ref ?? '')
}

const isScope = (text: string): text is ComponentScope => componentScopes.some((scope) => scope === text)
