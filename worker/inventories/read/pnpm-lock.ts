import { formatPurl } from '../../domain/names/purl'
import { BadDocument } from './bad-document'
import { addEdge, addPart, lettersPerPart, newDraft, requireFewEntries, type Draft, type DraftSteps } from './part'

type Line = { depth: number; key: string; value: string; place: string }
type Section = { path: string[]; key: string; value: string; place: string }

/** pnpm writes one shape, maps by indentation. A reader of all of YAML would only add aliases, which unfold to gigabytes. */
export function* readPnpmLock(text: string): DraftSteps {
  const draft = newDraft('pnpm-lock.yaml')
  const names = new Map<string, { place: string; isDev: boolean }>()
  for (const { path, key, value, place } of readSections(text)) {
    yield key.length
    requireFewEntries(names.size, place)
    const [section, entry = '', list = ''] = path
    if (path.length === 0 && key === 'lockfileVersion') draft.format = `pnpm-lock.yaml ${value}`
    else if (section === 'packages' && path.length === 1) names.set(plainKey(key), { place, isDev: false })
    else if (section === 'packages' && path.length === 2 && key === 'dev' && value === 'true')
      names.set(plainKey(entry), { place, isDev: true })
    else if ((section === 'snapshots' || section === 'packages') && path.length === 3 && isNeeding(list))
      addEdge(draft, plainKey(entry), plainKey(`${key}@${value}`))
    else if (section === 'importers' && path.length === 4 && key === 'version')
      draft.roots.push(plainKey(`${path[3] ?? ''}@${value}`))
    else if (section && /^(?:dev|optional)?[dD]ependencies$/.test(section) && path.length === 2 && key === 'version')
      draft.roots.push(plainKey(`${entry}@${value}`))
  }
  for (const [key, { place, isDev }] of names) {
    addLocked(draft, key, { place, isDev })
    yield lettersPerPart
  }
  return draft
}

const isNeeding = (list: string) => list === 'dependencies' || list === 'optionalDependencies'

function addLocked(draft: Draft, key: string, { place, isDev }: { place: string; isDev: boolean }) {
  const at = key.lastIndexOf('@')
  const [name, version] = [key.slice(0, at), key.slice(at + 1)]
  if (at < 1) throw new BadDocument(place, `"${key.slice(0, 80)}" names no package and version`)
  // A link to a folder or an address has no version that a registry knows.
  const purl = /^\d/.test(version) ? formatPurl('npm', name, version) : undefined
  addPart(draft, { ref: key, name, version, purl, scope: isDev ? 'excluded' : 'required' }, place)
}

/** `/lodash/4.17.21_x`, `/lodash@4.17.21(y)` and `lodash@4.17.21` of the versions 5, 6 and 9, as the last of them. */
function plainKey(key: string) {
  const bare = key.replace(/\(.*$/, '').replace(/^\//, '')
  const at = bare.lastIndexOf('@')
  if (at > 0) return bare
  const slash = bare.lastIndexOf('/')
  return slash > 0 ? `${bare.slice(0, slash)}@${bare.slice(slash + 1).replace(/_.*$/, '')}` : bare
}

function* readSections(text: string): Generator<Section> {
  const open: Line[] = []
  for (const line of readLines(text)) {
    while ((open.at(-1)?.depth ?? -1) >= line.depth) open.pop()
    yield { path: open.map(({ key }) => key), ...line }
    open.push(line)
    if (open.length > 20) throw new BadDocument(line.place, 'Maps are nested too deep')
  }
}

function* readLines(text: string): Generator<Line> {
  for (const [at, line] of text.split('\n').entries()) {
    const trimmed = line.trim()
    if (!trimmed || /^(?:#|- |-$|---|\.\.\.)/.test(trimmed)) continue
    const [, quoted, bare, value = ''] = /^(?:'([^']*)'|"[^"]*"|([^'"\s][^\s]*?))\s*:(?:\s+(.*))?$/.exec(trimmed) ?? []
    const key = quoted ?? bare
    if (key !== undefined)
      yield { depth: line.length - line.trimStart().length, key, value: unquoted(value), place: `line ${at + 1}` }
  }
}

const unquoted = (text: string) => text.trim().replace(/^(['"])(.*)\1$/, '$2')
