import { formatPurl } from '../../domain/names/purl'
import { BadDocument } from './bad-document'
import { addEdge, addPart, newDraft, requireFewEntries, splitFew, type Draft, type DraftSteps } from './part'

export const yarnLockSign = /^# yarn lockfile v1\b|^__metadata:/m

type Entry = { asked: string[]; place: string; fields: Map<string, string>; needed: string[] }

/** Both shapes of yarn: what was asked for, without indentation, then `version "1.0.0"` or `version: 1.0.0` and what it needs. */
export function* readYarnLock(text: string): DraftSteps {
  const draft = newDraft('yarn.lock')
  const entries: Entry[] = []
  let [list, names] = ['', 0]
  for (const [at, line] of text.split('\n').entries()) {
    yield line.length
    const plain = line.replaceAll('"', '').trimEnd()
    if (!plain || plain.startsWith('#')) continue
    if (!plain.startsWith(' ')) {
      const place = `line ${at + 1}`
      const asked = splitFew(plain.replace(/:$/, ''), /, */, place).map(toAsked)
      requireFewEntries((names += asked.length), place)
      entries.push({ asked, place, fields: new Map(), needed: [] })
    }
    const entry = entries.at(-1)
    const [, indent = '', key = '', value = ''] = /^( +)(\S+?):?(?: +(.*))?$/.exec(plain) ?? []
    if (indent.length === 2) list = value ? '' : key
    if (indent.length === 2 && value && fieldNames.has(key)) entry?.fields.set(key, value)
    if (indent.length === 4 && /^(?:optionalD|d)ependencies$/.test(list)) entry?.needed.push(toAsked(`${key}@${value}`))
  }
  const refs = new Map(entries.flatMap(({ asked }) => asked.map((one) => [one, asked[0] ?? one] as const)))
  for (const entry of entries) addEntry(draft, entry, refs)
  return draft
}

const fieldNames = new Set(['version', 'resolution', 'resolved', 'linkType'])
const toAsked = (text: string) => text.trim().replace('@npm:', '@')

function addEntry(draft: Draft, { asked: [ref = ''], place, fields, needed }: Entry, refs: Map<string, string>) {
  if (ref === '__metadata') return
  const [version, resolution = ''] = [fields.get('version'), fields.get('resolution')]
  if (!version) throw new BadDocument(place, `"${ref.slice(0, 80)}" has no version`)
  const isOwn = fields.get('linkType') === 'soft'
  if (isOwn) draft.roots.push(ref)
  else {
    // Another name may stand for a package: `alias@npm:package@^1`.
    const [, name = ref] =
      /^(@?[^@]+)@/.exec(resolution || ref.replace(/^@?[^@]+@(?=@?[\w.-]+(?:\/[\w.-]+)?@)/, '')) ?? []
    // A package from an address or a folder has no version that a registry knows.
    const isPublished = resolution
      ? /^@?[^@]+@(?:npm|patch):/.test(resolution)
      : /\/-\/|^$/.test(fields.get('resolved') ?? '')
    addPart(draft, { ref, name, version, purl: isPublished ? formatPurl('npm', name, version) : undefined }, place)
  }
  for (const one of needed) addEdge(draft, ref, refs.get(one) ?? one)
}
